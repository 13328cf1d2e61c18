import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { schemaDocument } from '../../scripts/describe-schema.ts'
import { createEmptyEmbedded } from '../support/templates.ts'

test('docs/schema.sql is the schema after all migrations (npm run generate)', async () => {
  const committed = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'schema.sql'), 'utf8')
  assert.equal(committed, await schemaDocument(await createEmptyEmbedded()))
})
