import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import pg from 'pg'
import { openOperator } from '../support/operator.ts'
import { onPostgres } from '../support/service.ts'

onPostgres('processes of one version on one host are distinguished, and keys are shown once', async (service) => {
  const { body: first } = await openOperator(service).get('/installation')
  const own = `${service.context.settings.roles.join(',')} ${process.pid}@${hostname()}`
  const { name, instance } = first.processes.find((each: { instance?: string }) => each.instance)
  assert.match(name, /^payin \d{4}$/)
  assert.ok(own.startsWith(instance), instance)

  const connectionString = service.context.settings.databaseUrl
  const others = [`${name} [k1] worker 4711@pay-1`, `${name} [k1] worker 4712@pay-1`, `${name} [k1]`].map(
    (each) => new pg.Client({ connectionString, application_name: each }),
  )
  await Promise.all(others.map((client) => client.connect()))
  try {
    const { body } = await openOperator(service).get('/installation')
    const found = (body.processes as { name: string; instance?: string }[])
      .filter((each) => each.name === name)
      .map((each) => each.instance ?? 'none')
    assert.deepEqual(new Set(found), new Set(['none', 'worker 4711@pay-1', 'worker 4712@pay-1', instance]))
    // Who asks for keys is shown one of those that are alike.
    const { body: keys } = await openOperator(service).get('/keys')
    const shown = (keys.processes as { keys?: string[] }[]).map((each) => each.keys?.join())
    assert.equal(shown.length, new Set(shown).size, shown.join(' '))
  } finally {
    await Promise.all(others.map((client) => client.end()))
  }
})
