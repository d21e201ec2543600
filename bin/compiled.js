// Loads a file of the build as require() would, with what V8 compiled of it when the build was made: compiling takes as long
// as all the rest of a start. V8 refuses what another version of it made, and a file without it is compiled as ever.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const directory = join(__dirname, '../dist/bundle');
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const modules = new Map();
/** By path; for whoever makes the build. */
const scripts = new Map();

function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const file = join(directory, name);
  const script = new Script(`${HEAD}${readFileSync(file, 'utf8')}\n})`, {
    filename: file,
    columnOffset: -HEAD.length,
    cachedData: compiledOf(file),
  });
  scripts.set(file, script);
  // Files of the build name each other by `./`; all else they may need is Node's or a package.
  const need = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  script.runInThisContext().call(module.exports, module.exports, need, module, file, directory);
  return module.exports;
}

function compiledOf(file) {
  try {
    return readFileSync(`${file}.compiled`);
  } catch {
    return undefined;
  }
}

module.exports = { load, scripts };
