import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../support/console-page.ts'

const folderOf = (pid: number): string => join(import.meta.dirname, '..', '..', 'console', `dist-${pid}`)

test('a build of the console removes what killed builds have left, and nothing of those that run', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const [abandoned, busy] = [folderOf(ended), folderOf(process.pid)]
  try {
    for (const folder of [abandoned, `${abandoned}-old`, busy]) mkdirSync(join(folder, 'assets'), { recursive: true })
    await buildConsole()
    assert.deepEqual([abandoned, `${abandoned}-old`, busy].map(existsSync), [false, false, true])
  } finally {
    for (const folder of [abandoned, `${abandoned}-old`, busy]) rmSync(folder, { recursive: true, force: true })
  }
})
