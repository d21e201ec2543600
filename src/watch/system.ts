// How far events of the operating system can be relied on: whether they come at once, and which file systems report no
// changes at all. The decisions are pure functions, and the system is asked in one place. observer.ts acts on them.
import { statfsSync } from 'node:fs';
import { statOf } from './paths.js';

export interface System {
  readonly platform: NodeJS.Platform;
  /** As statfs gives it; undefined if it can't be told. */
  fileSystemType(directory: string): number | undefined;
}

/**
 * Whether events are inotify's: then the event of a save that has returned is there as soon as the event loop has
 * polled.
 */
export function isInotify(platform: NodeJS.Platform): boolean {
  return platform === 'linux' || platform === 'android';
}

// By the numbers of statfs(2). What others write there (another machine, the host of a virtual machine or container) is
// told by no event of this kernel. Overlays, on which containers live, are not among them: what they are made of is
// local.
const WITHOUT_EVENTS: ReadonlyMap<number, string> = new Map([
  [0x00006969, 'nfs'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse or virtiofs'],
  [0x6a656a63, 'fakeowner'], // Docker Desktop's
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb'],
  [0x0000517b, 'smb'],
  [0x786f4256, 'vboxsf'],
  [0x7c7c6673, 'prl_fs'],
  [0x00c36400, 'ceph'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x0000564c, 'ncp'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
]);

/** The name of the file system, if it is one whose changes cause no events. Only Linux has these numbers. */
export function withoutEvents(platform: NodeJS.Platform, type: number | undefined): string | undefined {
  if (!isInotify(platform) || type === undefined) return undefined;
  // 32-bit systems give it with a sign.
  return WITHOUT_EVENTS.get(type >>> 0);
}

export function thisSystem(): System {
  // Most directories lie on one device, and asking for that costs a third.
  const typesByDevice = new Map<number, number | undefined>();
  return {
    platform: process.platform,
    fileSystemType(directory) {
      const device = statOf(directory)?.dev;
      if (device === undefined) return undefined;
      if (!typesByDevice.has(device)) typesByDevice.set(device, typeOf(directory));
      return typesByDevice.get(device);
    },
  };
}

function typeOf(directory: string): number | undefined {
  try {
    return statfsSync(directory).type;
  } catch {
    return undefined;
  }
}
