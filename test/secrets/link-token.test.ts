// Tokens of payment links: they lead to their link, and nobody else makes one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinkTokens } from '../../src/secrets/id-tokens.ts'

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const linkId = '019a9c3e-0f00-7c55-8b7a-5f1d2c3b4a05'

test('a token is the same each time and opens its link', () => {
  const tokens = createLinkTokens(first)
  const token = tokens.issue(linkId)
  assert.match(token, /^[\w-]{44}$/)
  assert.equal(tokens.issue(linkId), token)
  assert.equal(tokens.open(token), linkId)
  assert.throws(() => tokens.issue(linkId.toUpperCase()), /lower-case/)
})

test('a token of another key opens nothing', () => {
  assert.equal(createLinkTokens(second).open(createLinkTokens(first).issue(linkId)), undefined)
})

test('a token with any other letter opens nothing', () => {
  const tokens = createLinkTokens(first)
  const token = tokens.issue(linkId)
  for (let index = 0; index < token.length; index++) {
    const other = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1)
    assert.equal(tokens.open(other), undefined, other)
  }
  for (const text of ['', token.slice(1), `${token}A`, ` ${token.slice(1)}`, 'a'.repeat(44)])
    assert.equal(tokens.open(text), undefined, text)
})
