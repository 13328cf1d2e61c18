// A linter with its strict rules finds nothing in the OpenAPI document.
import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { createConfig, lint } from '@redocly/openapi-core'

const file = join(resolve(import.meta.dirname, '..', '..'), 'docs', 'openapi.json')

test('Redocly finds nothing', async () => {
  const rules = {
    // The committed document is of a service on one's own machine; an installation serves it with its own address.
    'no-server-example.com': 'off',
    // `/members/invitations/{name}` and `/members/{name}/…` have no method in common.
    'no-ambiguous-paths': 'off',
  } as const
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended-strict'], rules }) })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    [],
  )
})
