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
