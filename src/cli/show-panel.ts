// Collects the facts of the panel of `mcp-hotline serve` when it listens, and writes it to stderr. serve-panel.ts has
// its words.

import { networkInterfaces } from 'node:os';
import { basename } from 'node:path';
import { endpointUrl } from '../config/http-options.js';
import type { Config } from '../config/config.js';
import type { EventBus } from '../events/bus.js';
import type { EventOf } from '../events/events.js';
import { wantsColour } from '../sinks/colour.js';
import { servePanel, type PanelFacts, type ShownToken } from './serve-panel.js';

interface Start {
  readonly config: Config;
  readonly token: ShownToken | undefined;
}

export function showPanel(events: EventBus, start: Start): void {
  events.subscribe(['listening'], (event) => void process.stderr.write(servePanel(factsOf(event, start))));
}

function factsOf({ url, host, port }: EventOf<'listening'>, { config, token }: Start): PanelFacts {
  const { cwd, rules, reload, env } = config;
  return {
    url,
    networkUrls: addressesOf(host).map((address) => endpointUrl(address, port)),
    name: basename(cwd).replace(/[^\w-]+/g, '-') || 'server',
    watched: reload ? [...new Set(rules.flatMap(({ watch }) => watch))] : [],
    token,
    colour: wantsColour(process.stderr, env),
    platform: process.platform,
  };
}

/** The addresses by which other machines reach a listener on all addresses. */
function addressesOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address);
}
