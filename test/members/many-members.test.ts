import assert from 'node:assert/strict'
import { query, text } from 'payin-database'
import { listMembers } from '../../src/engine/members/change-member.ts'
import { openOperator } from '../support/operator.ts'
import { onOneEngine } from '../support/service.ts'

const addMany = query('test_add_members', {
  parameters: { role: text },
  text: `insert into members (id, name, email, email_verified, role, created_at, updated_at)
    select gen_random_uuid(), 'a-member-' || n, 'a' || n || '@example.com', true, :role, now(), now() from generate_series(1, 5100) as n`,
})

onOneEngine('a list of members that is cut says so', async (service) => {
  await service.context.query(addMany, { role: 'auditor' })
  const { body } = await openOperator(service).get('/members')
  assert.deepEqual([body.members.length, body.isCut], [5000, true])
  const one = await listMembers(service.context, 1)
  assert.deepEqual([one.members.map(({ name }) => name), one.areAll], [['a-member-1'], false])
})
