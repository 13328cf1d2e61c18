// Each operation of operators, called by each role with the same good request: whom its duty does not allow is refused
// and changes nothing, whoever may call it is never refused for the role, and all invariants hold after a few of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bigint, query, text } from 'payin-database'
import { roles, type Role } from '../../src/rules/members/access.ts'
import { randomFrom } from '../support/random.ts'
import { readRoleTables } from '../support/role-tables.ts'
import { assertHealthy, openTestService, usualEngine } from '../support/service.ts'
import { countOf, openSightings, repeat, seedOf } from '../support/torture.ts'
import { openFuzzer } from './fuzz/fuzzer.ts'
import { operations } from './fuzz/operations.ts'

const tokenOf = (name: string): string => `payin_ops_test_token_of_${name}_0123456789abcdef`
const roleOf: Readonly<Record<string, Role>> = {
  // Whom the fuzzer is, too.
  ...{ anna: 'owner', boris: 'owner' },
  ...Object.fromEntries(roles.map((role) => [`the-${role}`, role])),
}

/** How much has been written in the name of each operator; jobs write in the service's. */
const countEntries = query('test_count_entries', {
  row: { actor: text, entries: bigint },
  text: `select actor, count(*) as entries from audit_entries where actor like 'operator:the-%' group by actor order by actor`,
})

/** What asks for the duty to reveal if the request has a whole number. */
const findingByNumber = new Set(['findRiskBlocks', 'listTransfers', 'exportTransfers'])

/** Requests before and between, so that there is something to name. */
const [before, between] = [300, 3]

test('whoever has a role does what its duties allow, with requests that others may make, and nothing else', async () => {
  const service = await openTestService(usualEngine(), {
    PAYIN_OPERATOR_TOKENS: Object.entries(roleOf)
      .map(([name, role]) => `${name}/${role}:${tokenOf(name)}`)
      .join(),
  })
  const seen = openSightings()
  const seed = seedOf()
  const fuzzer = await openFuzzer(service, randomFrom(seed), seen)
  const mayCall = readRoleTables()
  const called = openSightings()
  const own = operations.filter(({ path }) => path.startsWith('/api/v1/operator/'))
  const entries = () => service.context.query(countEntries, {})
  const round = async (): Promise<void> => {
    await fuzzer.tend()
    await fuzzer.payOne()
    for (const [index, operation] of own.entries()) {
      for (let more = between; more > 0; more--) await fuzzer.step()
      const made = fuzzer.make(operation)
      const sendAs = async (role: Role) => {
        const authorization = `Bearer ${tokenOf(`the-${role}`)}`
        const { status, body } = await fuzzer.send(operation, { ...made, headers: { ...made.headers, authorization } })
        const { code } = (body ?? {}) as { code?: string }
        const isRefused = status === 403 && code === 'role_missing'
        const tale = `seed ${seed}: ${role} ${operation.id} ${made.path} ${String(made.body).slice(0, 500)} ${status} ${code}`
        const mayBeRefused = findingByNumber.has(operation.id) && !mayCall(role, 'revealSender')
        assert.ok(isRefused === !mayCall(role, operation.id) || (isRefused && mayBeRefused), tale)
        called.note('calls')
        called.note(isRefused ? 'refused' : status < 300 ? 'done' : 'allowed, but impossible')
      }
      const start = await entries()
      for (const role of roles) if (!mayCall(role, operation.id)) await sendAs(role)
      assert.deepEqual(await entries(), start, `seed ${seed}: a refused ${operation.id} is in the audit`)
      for (const role of roles) if (mayCall(role, operation.id)) await sendAs(role)
      if (index % 20 === 0) await assertHealthy(service)
    }
  }
  try {
    await fuzzer.tend()
    for (let more = before; more > 0; more--) await fuzzer.step()
    await repeat('roles', countOf(1), round, () => called.text())
    console.log(`roles: ${own.length} operations from seed ${seed}: ${called.text()}`)
    assert.equal(fuzzer.findings.size, 0, JSON.stringify([...fuzzer.findings.values()]))
    called.assertSeen('refused', 'done')
    await service.runJobs()
    await assertHealthy(service)
  } finally {
    fuzzer.close()
    await service.stop()
  }
})
