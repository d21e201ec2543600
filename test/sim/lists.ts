/**
 * What the simulated servers list, by the content of a file: so that it is known without asking what differs between
 * two.
 */
export interface Lists {
  readonly tools: readonly Tool[];
  readonly prompts: readonly { readonly name: string }[];
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly resourceTemplates: readonly { readonly uriTemplate: string; readonly name: string }[];
}

export interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly type: 'object' };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean };
}

/** So many items fit on a page, where there are pages. */
export const PAGE = 2;

export const TOOLS = ['alpha', 'beta', 'gamma', 'delta', 'server_status'];

const kept = new Map<string, Lists>();

export function listing(content: number, settings: number): Lists {
  const key = `${content % 8}/${settings % 2}`;
  let lists = kept.get(key);
  if (lists === undefined) kept.set(key, (lists = make(content % 8, settings % 2)));
  return lists;
}

function make(content: number, settings: number): Lists {
  const schema = { inputSchema: { type: 'object' } } as const;
  const tools: Tool[] = [
    { name: 'alpha', ...schema, annotations: { readOnlyHint: true } },
    { name: 'beta', ...schema, ...((content & 1) === 1 ? { annotations: { idempotentHint: true } } : {}) },
    { name: 'gamma', ...schema },
  ];
  if ((content & 2) === 2) tools.push({ name: 'delta', ...schema });
  if (content === 6) tools.push({ name: 'server_status', ...schema });
  return {
    tools,
    prompts: (content & 4) === 4 ? [{ name: 'p' }, { name: 'q' }, { name: 'r' }] : [{ name: 'p' }],
    resources: [{ uri: 'a:r0', name: 'r0' }, ...(settings === 1 ? [{ uri: 'a:r1', name: 'r1' }] : [])],
    resourceTemplates: (content & 5) === 5 ? [{ uriTemplate: 'a:{x}', name: 't' }] : [],
  };
}
