import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import pg from 'pg'
import { openOperator } from '../support/operator.ts'
import { onPostgres } from '../support/service.ts'

onPostgres(
  'processes of one version on one host are told apart, and from those of the release before',
  async (service) => {
    const { body: first } = await openOperator(service).get('/installation')
    const own = `${service.context.settings.roles.join(',')} ${process.pid}@${hostname()}`
    const [{ name, instance }] = first.processes.filter((each: { instance?: string }) => each.instance)
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
      assert.deepEqual(found.toSorted(), ['none', 'worker 4711@pay-1', 'worker 4712@pay-1', instance].toSorted())
      // Who asks for keys is shown one of those that are alike.
      const { body: keys } = await openOperator(service).get('/keys')
      assert.deepEqual(
        new Set(keys.processes.map((each: { keys?: string[] }) => each.keys?.join())),
        new Set(['k1', service.context.vault.keyIds.join()]),
      )
    } finally {
      await Promise.all(others.map((client) => client.end()))
    }
  },
)
