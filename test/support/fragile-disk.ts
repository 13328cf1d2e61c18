import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAccount } from './postgres.ts'

/** A file system whose power a test can cut: everything that was not synced to the disk is lost. */
export type FragileDisk = {
  readonly folder: string
  /** Syncs everything to the disk. */
  sync(): void
  /** From now on nothing reaches the disk, and every write fails; what the system still had in memory is lost. */
  cutPower(): void
  /** Makes it usable again, with what had reached the disk. Processes with open files on it must have ended. */
  restore(): void
  /** Removes it with everything on it. */
  remove(): void
}

const run = (program: string, ...parameters: readonly string[]): string | undefined => {
  const { status, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8' })
  return status === 0 ? undefined : `${program} failed: ${(stderr ?? '').trim() || String(error)}`
}

const must = (program: string, ...parameters: readonly string[]): void => {
  const problem = run(program, ...parameters)
  if (problem !== undefined) throw new Error(problem)
}

// EXT4_IOC_SHUTDOWN with "flush neither the journal nor data"; Node.js has no ioctl, and Debian always has Perl.
const shutDown = 'open(F, "<", $ARGV[0]) or die "$!"; my $how = pack("L", 2); ioctl(F, 0x8004587d, $how) or die "$!"'

/** Creates such a disk, an ext4 on a loop device; returns what is missing if that is not possible. */
export const openFragileDisk = (megabytes: number): FragileDisk | { readonly missing: string } => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { missing: 'only root on Linux mounts a disk' }
  const base = mkdtempSync(join(tmpdir(), 'payin-disk-'))
  const image = join(base, 'image')
  // Not in `base`, to which the user `postgres` may have no access.
  const folder = mkdtempSync('/tmp/payin-fragile-')
  const remove = (): void => {
    run('umount', '--lazy', folder)
    rmSync(folder, { recursive: true, force: true })
    rmSync(base, { recursive: true, force: true })
  }
  writeFileSync(image, '')
  truncateSync(image, megabytes * 1024 * 1024)
  const mount = ['-t', 'ext4', '-o', 'loop', image, folder]
  const problem = run('mkfs.ext4', '-q', '-F', image) ?? run('mount', ...mount)
  if (problem !== undefined) {
    remove()
    return { missing: problem }
  }
  const account = findAccount()
  if ('uid' in account && account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid)
  return {
    folder,
    sync: () => must('sync', '--file-system', folder),
    cutPower: () => must('perl', '-e', shutDown, folder),
    restore: () => {
      must('umount', folder)
      must('mount', ...mount)
    },
    remove,
  }
}
