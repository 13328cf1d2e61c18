import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './processes.ts'

const run = (program: string, args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`)
  return stdout
}

/** Copies the files of a clone of the checkout, with uncommitted changes, to a new folder in `parent`. */
export const copyCheckout = (parent: string): string => {
  const copy = mkdtempSync(join(parent, 'checkout-'))
  const files = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0')
  for (const file of files) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  }
  return copy
}

/** Hard-links the installed dependencies into the copy: an `npm ci` there does not change ours. */
export const linkDependencies = (copy: string): void => {
  run('cp', ['-a', '--link', join(root, 'node_modules'), copy])
}

/** Does the rest of what scripts/install.cjs does, and waits until the disk has what was written. */
export const prepareStart = (copy: string): void => {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(copy, 'node_modules', '.cache', 'compiled') }
  const { status, stderr } = spawnSync(process.execPath, ['scripts/prepare-start.ts'], { cwd: copy, env })
  if (status !== 0) throw new Error(`scripts/prepare-start.ts failed: ${String(stderr)}`)
  run('sync', [])
}
