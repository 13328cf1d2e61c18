import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { shellWord } from '../../src/rules/values/shell-word.ts'

test('a name in a command stays one word, and runs nothing', () => {
  for (const name of ['Volga files', '$(exit 1)', '`id`', "Anna's phone", "'; id; '", '-n', '$HOME', '', 'a\\b', '*'])
    assert.equal(execFileSync('sh', ['-c', `printf %s ${shellWord(name)}`]).toString(), name === '-n' ? '-n' : name)
  assert.equal(shellWord('week-31'), 'week-31')
})
