// What the cookies of the console and of the payer's page allow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrolMember } from '../support/console.ts'
import { createStatePage, openBookshop } from '../support/page-states.ts'
import { openTestService, usualEngine } from '../support/service.ts'
import { send } from '../support/shop.ts'

type Cookie = { readonly name: string; readonly attributes: readonly string[] }

const readCookie = (line: string): Cookie => {
  const [first = '', ...attributes] = line.split(/; */)
  return { name: first.slice(0, first.indexOf('=')), attributes: attributes.map((each) => each.toLowerCase()) }
}

/** Each address of a service, with what the names of its cookies begin with and whether they need https. */
const cases = [
  {
    publicUrl: 'https://pay.example.com',
    session: /^__Host-payin[.\w-]*$/,
    form: '__Secure-payin_form',
    isSecure: true,
  },
  { publicUrl: 'http://payin.test', session: /^payin[.\w-]*$/, form: 'payin_form', isSecure: false },
] as const

for (const { publicUrl, session, form, isSecure } of cases) {
  test(`cookies at ${publicUrl} belong to this host, and no script and no other site can use them`, async () => {
    const service = await openTestService(usualEngine(), { PUBLIC_URL: publicUrl, PAYIN_TRUST_PROXY: '127.0.0.1' })
    try {
      const member = await enrolMember(service, { role: 'operator' }, publicUrl)
      const lines = member.cookieLines.map(readCookie)
      assert.ok(lines.length > 1, 'a session and what two steps need')
      for (const { name, attributes } of lines) {
        assert.match(name, session)
        for (const wanted of ['httponly', 'samesite=strict', 'path=/'])
          assert.ok(attributes.includes(wanted), `${name}: ${wanted}`)
        assert.equal(attributes.includes('secure'), isSecure, name)
        assert.ok(!attributes.some((each) => each.startsWith('domain')), name)
      }
      assert.equal((await member.operate('/me')).status, 200)

      const shop = await openBookshop(service)
      const { path } = await createStatePage(shop, 'form', { type: 'staged' })
      const headers = { accept: 'text/html' }
      const body = new URLSearchParams({ phone: '912 345', bank: 'bank-b' })
      const answer = await send(service, `/en${path}/details`, { method: 'POST', headers, body })
      const kept = answer.headers.getSetCookie()
      const { name, attributes } = readCookie(kept[0] ?? '')
      assert.equal(name, form)
      assert.deepEqual(attributes.toSorted(), [
        ...['httponly', 'max-age=60', `path=/en${path}`.toLowerCase(), 'samesite=strict'],
        ...(isSecure ? ['secure'] : []),
      ])
      const cookie = (kept[0] ?? '').split(';')[0] ?? ''
      assert.match((await send(service, `/en${path}`, { headers: { ...headers, cookie } })).body, /value="912 345"/)
    } finally {
      await service.stop()
    }
  })
}
