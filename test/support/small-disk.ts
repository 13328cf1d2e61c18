import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A small file system in memory. */
export type SmallDisk = {
  readonly folder: string
  /** Fills the remaining room. */
  fill(): void
  /** Frees that room again. */
  free(): void
  /** Removes it with everything on it. */
  unmount(): void
}

const postgresAccount = (): { uid: number; gid: number } | undefined => {
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : undefined
}

/** Mounts a small disk that the user `postgres` may use; returns what is missing if that is not possible. */
export const mountSmallDisk = (megabytes: number): SmallDisk | { missing: string } => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { missing: 'only root on Linux mounts a disk' }
  // Not in the folder of the tests, to which the user may have no access.
  const folder = mkdtempSync('/tmp/payin-disk-')
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true })
    return { missing: `mount failed: ${mounted.stderr || String(mounted.error)}` }
  }
  const account = postgresAccount()
  if (account) chownSync(folder, account.uid, account.gid)
  chmodSync(folder, 0o700)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'a')
      for (const size of [1 << 20, 4096, 1]) {
        const zeros = Buffer.alloc(size)
        try {
          while (writeSync(file, zeros) === size);
        } catch {
          // The disk is full.
        }
      }
      closeSync(file)
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => {
      spawnSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
