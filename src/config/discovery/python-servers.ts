// Python's programs that serve an application over HTTP: which module their words name, and whether they restart the
// server by themselves. Where a module lies is found by python.ts.

import { resolve } from 'node:path';
import { isFile } from './disk.js';
import { readFlags } from './flags.js';
import { nothing, type Invocation, type ResolveStep, type Runner, type Search } from './discovery.js';

/** Where the module of this name is; `at`: where one looks first. */
export type FindModule = (name: string, at: Invocation, search: Search) => ResolveStep;

/** `package.module:application`, and not `localhost:8000`. */
const application = /^([A-Za-z_][\w.]*):[A-Za-z_][\w.]*(\(.*\))?$/;
const withoutApplication = 'the application that it serves is not named as module:name';

export function pythonServers(findModule: FindModule): Readonly<Record<string, Runner>> {
  /** `directory`: the flags by which it is told where modules are. */
  const server =
    (name: string, ...directory: readonly string[]): Runner =>
    (args, invocation, search) => {
      if (args.includes('--reload')) search.watcher = `${name} --reload`;
      const [, module] = args.map((word) => application.exec(word)).find((match) => match !== null) ?? [];
      if (module === undefined) return nothing(withoutApplication);
      const { value } = readFlags(args, directory.join(' '), true);
      return findModule(module, { ...invocation, cwd: resolve(invocation.cwd, value(...directory) ?? '') }, search);
    };

  const flask: Runner = (args, invocation, search) => {
    const reloading = ['--debug', '--reload'].find((word) => args.includes(word));
    if (reloading !== undefined && !args.includes('--no-reload')) search.watcher = `flask ${reloading}`;
    const { value } = readFlags(args, '-A --app', true);
    const named = value('-A', '--app') ?? search.env['FLASK_APP'];
    const usual = ['wsgi.py', 'app.py'].find((file) => isFile(resolve(invocation.cwd, file)));
    const app = named?.replace(/:[A-Za-z_].*$/s, '') ?? usual;
    if (app === undefined) return nothing(withoutApplication);
    return fileOrModule(app, invocation, search);
  };

  const fastapi: Runner = (args, invocation, search) => {
    const [sub, ...behind] = args;
    if (sub !== 'dev' && sub !== 'run') return nothing(`fastapi ${sub ?? ''} does not run a server`);
    if (!behind.includes('--no-reload') && (sub === 'dev' || behind.includes('--reload')))
      search.watcher = `fastapi ${sub === 'dev' ? 'dev' : '--reload'}`;
    const taking = '-e --entrypoint --app --host --port --root-path --workers --reload-dir';
    const { rest, value } = readFlags(behind, taking, true);
    const entry = value('-e', '--entrypoint')?.replace(/:.*$/s, '');
    const usual = ['main.py', 'app.py', 'api.py', 'app/main.py', 'app/app.py', 'app/api.py'];
    const app = rest[0] ?? entry ?? usual.find((file) => isFile(resolve(invocation.cwd, file)));
    return app === undefined ? nothing(withoutApplication) : fileOrModule(app, invocation, search);
  };

  function fileOrModule(app: string, at: Invocation, search: Search): ResolveStep {
    if (!/\.pyw?$|[\\/]/.test(app)) return findModule(app, at, search);
    return { kind: 'file', language: 'python', file: resolve(at.cwd, app) };
  }

  return {
    uvicorn: server('uvicorn', '--app-dir'),
    hypercorn: server('hypercorn'),
    granian: server('granian', '--working-dir'),
    gunicorn: server('gunicorn', '--chdir', '--pythonpath'),
    daphne: server('daphne'),
    flask,
    quart: flask,
    fastapi,
  };
}
