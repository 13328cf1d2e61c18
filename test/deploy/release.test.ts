// A release is made by .github/workflows/release.yml; test/process/packages.test.ts runs its steps.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { judgeAudit } from '../../scripts/audit.ts'

const root = resolve(import.meta.dirname, '..', '..')

test('the workflow runs only actions that are pinned by commit, and scripts that there are', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action)
  assert.ok(actions.length > 4)
  for (const action of actions) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const [, name = ''] of workflow.matchAll(/npm run (\w+)/g)) assert.ok(name in scripts, name)
})

test('a high vulnerability of a package fails the audit, a lower one is only printed', () => {
  const advisory = { title: 'It sends everything', url: 'https://example.com/1' }
  const answer = (severity: string): string =>
    JSON.stringify({
      vulnerabilities: {
        a: { severity, range: '<2', via: [advisory] },
        b: { severity: 'low', range: '*', via: ['a'] },
      },
    })
  assert.deepEqual(judgeAudit(answer('high')), {
    lines: ['high: a <2: It sends everything (https://example.com/1)', 'low: b *: by a'],
    failed: true,
  })
  assert.equal(judgeAudit(answer('moderate'))?.failed, false)
  assert.deepEqual(judgeAudit('{"vulnerabilities":{}}'), { lines: [], failed: false })
})

test('a registry that gives no answer is no proof', () => {
  assert.equal(judgeAudit('{"message":"405 Method Not Allowed","statusCode":405}'), undefined)
})
