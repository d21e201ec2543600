/**
 * The headers that tools want repeated from their arguments (`x-mcp-header` in an input schema), as clients were listed
 * them last. A client with an older list is told that its headers are wrong, fetches the list again and repeats its
 * call: so an edited schema heals by itself. What a header has to be is decided in param-headers.ts.
 */
import type { Message } from '../../wire/message.js';
import type { Headers } from './headers.js';
import { isObject } from './body-facts.js';
import { paramHeaderFault } from './param-headers.js';
import type { Fault } from './replies.js';
import { toJson } from '../../wire/to-json.js';

const MARK = 'x-mcp-header';

export class ToolHeaders {
  readonly #schemas = new Map<string, unknown>();

  /** A client gets this answer to this `tools/list`. Most servers have no such tool, and then nothing is parsed. */
  onListed(request: Message, answer: Message): void {
    const isFirstPage = !request.has(['params', 'cursor']);
    if (isFirstPage) this.#schemas.clear();
    if (!answer.includes(MARK)) return;
    const tools = answer.read(['result', 'tools']);
    for (const tool of Array.isArray(tools) ? tools : []) {
      if (isObject(tool) && typeof tool['name'] === 'string' && toJson(tool).includes(MARK))
        this.#schemas.set(tool['name'], tool['inputSchema']);
    }
  }

  /** What is wrong with the headers of this `tools/call`. */
  faultOf(call: Message, headers: Headers): Fault | undefined {
    if (this.#schemas.size === 0) return undefined;
    const name = call.read(['params', 'name']);
    const schema = typeof name === 'string' ? this.#schemas.get(name) : undefined;
    return schema === undefined ? undefined : paramHeaderFault(schema, call.read(['params', 'arguments']), headers);
  }
}
