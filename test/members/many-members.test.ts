import assert from 'node:assert/strict'
import { text, query } from '../../src/database/query.ts'
import { listMembers } from '../../src/members/change-member.ts'
import { openOperator } from '../support/operator.ts'
import { onOneEngine } from '../support/service.ts'

const addMany = query('test_add_members', {
  parameters: { role: text },
  text: `insert into members (id, name, email, email_verified, role, created_at, updated_at)
    select gen_random_uuid(), 'a-member-' || n, 'a' || n || '@example.com', true, :role, now(), now() from generate_series(1, 5100) as n`,
})

const addToAcme = query('test_add_members_to_tenant', {
  text: `with added as (
      insert into members (id, name, email, email_verified, role, created_at, updated_at)
      select gen_random_uuid(), name, name || '@example.com', true, 'none', now(), now() from unnest(array['yan', 'zoe']) as name
      returning id
    )
    insert into member_roles (member_id, tenant, role, given_by, given_at) select id, 'acme', 'support', 'test', now() from added`,
})

onOneEngine('members of a tenant are listed, however many others have; a list that is cut says so', async (service) => {
  const main = service.context
  const owner = openOperator(service)
  await owner.call('POST', '/tenants', { name: 'acme' })
  await main.query(addMany, { role: 'auditor' })
  await main.query(addToAcme, {})
  const { body } = await openOperator({ ...service, tenant: 'acme' }).get('/members')
  assert.deepEqual([body.members.map(({ name }: { name: string }) => name), body.isCut], [['yan', 'zoe'], undefined])
  const { body: all } = await owner.get('/members')
  assert.deepEqual([all.members.length, all.isCut], [5000, true])
  const one = await listMembers(main, 'acme', 1)
  assert.deepEqual([one.members.map(({ name }) => name), one.areAll], [['yan'], false])
})
