// The published everything server, what to ask of it, and of the fixtures that are made with the SDKs; and what of the
// answers differs from run to run. How they are reached is the tests'.

import { fileURLToPath } from 'node:url';
import type { Plan } from './sdk-clients.js';

export const everything = [
  process.execPath,
  fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
  'stdio',
];

export const everythingPlan: Plan = {
  legacy: true,
  tools: [
    { name: 'echo', arguments: { message: 'é 日本 😀 \u2028' } },
    { name: 'get-sum', arguments: { a: 0.1, b: 2 } },
    { name: 'get-sum', arguments: { a: 'no number', b: 2 } },
    { name: 'get-env' },
    { name: 'get-tiny-image' },
    { name: 'get-annotated-message', arguments: { messageType: 'error', includeImage: true } },
    { name: 'get-structured-content', arguments: { location: 'Chicago' } },
    { name: 'get-resource-links', arguments: { count: 3 } },
    { name: 'get-resource-reference', arguments: { resourceType: 'Blob', resourceId: 2 } },
    { name: 'get-roots-list' },
    { name: 'trigger-sampling-request', arguments: { prompt: 'say something', maxTokens: 10 } },
    { name: 'no-such-tool' },
  ],
  prompts: [
    { name: 'simple-prompt' },
    { name: 'args-prompt', arguments: { city: 'Zürich', state: 'ZH' } },
    { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } },
    { name: 'no-such-prompt' },
  ],
  resources: ['demo://resource/dynamic/text/1', 'demo://resource/dynamic/blob/7', 'demo://nowhere'],
  completions: [
    { ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } },
  ],
};

/** The same for `sdk-v1` and `sdk-v2`. */
export const fixturePlan: Plan = {
  tools: [
    { name: 'add', arguments: { a: 1, b: 2 } },
    { name: 'add', arguments: { a: 'one' } },
    { name: 'fail' },
    { name: 'nothing' },
  ],
  prompts: [{ name: 'greet', arguments: { name: 'Zoë' } }],
  resources: ['memo://readme', 'memo://other', 'nowhere://'],
};

/**
 * Without the time of day, in plain text and in base64, the test's own marker, and the two variables that the proxy
 * adds.
 */
export function masked(json: string, marker: string): string {
  return json
    .replaceAll(marker, 'MARKER')
    .replace(/created at [\d:]+( [AP]M)?/g, 'created at TIME')
    .replace(
      /"blob":"([^"]*)"/g,
      (_, blob: string) =>
        `"blob":${JSON.stringify(
          Buffer.from(blob, 'base64')
            .toString()
            .replace(/at [\d:]+( [AP]M)?$/, 'at TIME'),
        )}`,
    )
    .replace(/,?\\n\s*\\"MCP_HOTLINE_GENERATION\\": \\"\d+\\"/, '')
    .replace(/,?\\n\s*\\"MCP_HOTLINE_MARK\\": \\"[^\\"]*\\"/, '')
    .replace(/,(\s*(\\n)*\s*})/g, '$1');
}
