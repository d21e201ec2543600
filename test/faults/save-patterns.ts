// How editors and tools save a file, step by step as seen by whoever watches: probes, swap files, locks, backups,
// renames, and writes in pieces. Each is told what the file is to hold; what should follow is the tests'.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

export interface Editor {
  /** Before the first save, and after the last: what it keeps around. */
  open?(file: string): void;
  close?(file: string): void;
  /** Has returned, or resolved = has been saved. */
  save(file: string, text: string): void | Promise<void>;
}

/** Between two steps of a save, in milliseconds. */
const pause = 20;
const beside = (file: string, name: (base: string) => string) => join(dirname(file), name(basename(file)));

export const editors: Record<string, Editor> = {
  'vim, with a swap file, a probe and a backup': {
    open(file) {
      writeFileSync(
        beside(file, (name) => `.${name}.swx`),
        '',
      );
      rmSync(beside(file, (name) => `.${name}.swx`));
      writeFileSync(
        beside(file, (name) => `.${name}.swp`),
        'b0VIM 9.1',
      );
    },
    async save(file, text) {
      appendFileSync(
        beside(file, (name) => `.${name}.swp`),
        text,
      );
      writeFileSync(
        beside(file, () => '4913'),
        '',
      );
      rmSync(beside(file, () => '4913'));
      renameSync(file, `${file}~`);
      await delay(pause);
      writeFileSync(file, text);
      rmSync(`${file}~`);
    },
    close: (file) => rmSync(beside(file, (name) => `.${name}.swp`)),
  },
  'Emacs, with a lock, an auto-save and a backup that stays': {
    open: (file) =>
      symlinkSync(
        'ada@host.4711:1763000000',
        beside(file, (name) => `.#${name}`),
      ),
    async save(file, text) {
      writeFileSync(
        beside(file, (name) => `#${name}#`),
        text.slice(0, text.length / 2),
      );
      renameSync(file, `${file}~`);
      await delay(pause);
      writeFileSync(file, text);
      rmSync(beside(file, (name) => `#${name}#`));
    },
    close: (file) => rmSync(beside(file, (name) => `.#${name}`)),
  },
  'JetBrains, by a safe write': {
    async save(file, text) {
      writeFileSync(`${file}___jb_tmp___`, text);
      renameSync(file, `${file}___jb_old___`);
      await delay(pause);
      renameSync(`${file}___jb_tmp___`, file);
      rmSync(`${file}___jb_old___`);
    },
  },
  'VS Code, in place': { save: (file, text) => writeFileSync(file, text) },
  'VS Code, atomically': {
    save(file, text) {
      writeFileSync(`${file}.vsctmp`, text);
      renameSync(`${file}.vsctmp`, file);
    },
  },
  'a rename from another directory': {
    save(file, text) {
      writeFileSync(join(dirname(dirname(file)), 'draft'), text);
      renameSync(join(dirname(dirname(file)), 'draft'), file);
    },
  },
  'deleting and writing anew': {
    async save(file, text) {
      rmSync(file);
      await delay(pause);
      writeFileSync(file, text);
    },
  },
  'truncating, and writing in two steps with pauses': {
    async save(file, text) {
      truncateSync(file);
      await delay(pause);
      const half = text.indexOf('// half');
      appendFileSync(file, text.slice(0, half));
      await delay(pause);
      appendFileSync(file, text.slice(half));
    },
  },
  'writing byte by byte': {
    async save(file, text) {
      const opened = openSync(file, 'w');
      for (const [at, byte] of [...Buffer.from(text)].entries()) {
        writeSync(opened, Buffer.of(byte));
        if (at % 16 === 0) await turn();
      }
      closeSync(opened);
    },
  },
  cp: {
    save(file, text) {
      const from = join(dirname(dirname(file)), 'draft');
      writeFileSync(from, text);
      copyFileSync(from, file);
      rmSync(from);
    },
  },
  'sed -i': {
    save(file, text) {
      const version = (of: string) => /version = '(.*?)'/.exec(of)![1]!;
      const [before, after] = [version(readFileSync(file, 'utf8')), version(text)];
      execFileSync('sed', ['-i', `s/version = '${before}'/version = '${after}'/`, file]);
    },
  },
};
