// Two linters, each with its recommended rules, find nothing in the OpenAPI document.
import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { apiDocument } from '../support/api-document.ts'

type Problem = { readonly message: string }

/** What is used of Redocly. */
type Redocly = {
  readonly createConfig: (config: object) => Promise<object>
  readonly lint: (
    options: object,
  ) => Promise<readonly (Problem & { readonly ruleId: string; readonly location: readonly { pointer?: string }[] })[]>
}

/** What is used of Spectral, whose own types do not accept its own rules. */
type Spectral = {
  readonly Spectral: new () => {
    readonly setRuleset: (ruleset: object) => void
    readonly run: (
      document: object,
    ) => Promise<readonly (Problem & { readonly code: string; readonly path: readonly string[] })[]>
  }
}

const load = (name: string): Promise<unknown> => import(name)

const file = join(resolve(import.meta.dirname, '..', '..'), 'docs', 'openapi.json')

test('Redocly finds nothing', async () => {
  const { createConfig, lint } = (await load('@redocly/openapi-core')) as Redocly
  const rules = {
    // The committed document is of a service on one's own machine; an installation serves it with its own address.
    'no-server-example.com': 'off',
    // `/members/invitations/{name}` and `/members/{name}/…` have no method in common.
    'no-ambiguous-paths': 'off',
  }
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended-strict'], rules }) })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    [],
  )
})

test('Spectral finds nothing', async () => {
  const { default: core } = (await load('@stoplight/spectral-core')) as { default: Spectral }
  const { default: rulesets } = (await load('@stoplight/spectral-rulesets')) as { default: { oas: object } }
  const linter = new core.Spectral()
  linter.setRuleset({
    extends: [[rulesets.oas, 'recommended']],
    rules: {
      // Whom to ask is the operator of an installation, and no part of the API.
      'info-contact': 'off',
      // openapi.test.ts compares every example with its schema. Spectral compiles each schema for each example, which
      // takes half a minute, and reads `\p{C}` as a `p`, a `C` and braces.
      'oas3-valid-media-example': 'off',
      'oas3-valid-schema-example': 'off',
    },
  })
  const problems = await linter.run(apiDocument)
  assert.deepEqual(
    problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`),
    [],
  )
})
