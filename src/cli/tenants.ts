import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TenantTools } from '../tenant-tools.ts'
import { type Commands, command, type Group, list, request } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, flag, optionOr, required, option } from './inputs.ts'
import { serviceVariables } from './service-settings.ts'
import type { Session } from './session.ts'
import type { TenantAnswer, TenantsAnswer } from '../http/operator-api/tenants.ts'

/** Opens the databases directly, with the settings of a service that is started in this folder. */
const withTools = async (session: Session, work: (tools: TenantTools) => Promise<void>): Promise<void> => {
  const { errors, clock } = session.surroundings
  // Only these commands load the code of the service.
  const { openTenantTools } = await import('../tenant-tools.ts')
  const report = (line: string): void => void errors.write(`${line}\n`)
  try {
    const tools = await openTenantTools(serviceVariables(session.surroundings), clock, report)
    try {
      await work(tools)
    } finally {
      await tools.close()
    }
  } catch (error) {
    throw error instanceof Failure ? error : new Failure([error instanceof Error ? error.message : String(error)])
  }
}

const tenant = argument('<name>', 'which one')

/** Commands that work on the schemas of tenants. They run on the service's machine. */
const relocationCommands: Commands = {
  move: command({
    description:
      'Move a tenant to another server of PAYIN_TENANT_SERVERS while it keeps working. Run it where the service runs.',
    inputs: {
      name: tenant,
      server: required('--server <name>', 'target server; main is that of DATABASE_URL'),
      stop: flag('--stop', 'copy it while its requests are refused, if logical replication is not possible'),
    },
    run: (session, given) =>
      withTools(session, async (tools) => {
        const moved = await tools.move(given.name, given.server, given.stop === true)
        session.showValue(moved, ({ from, to, stoppedMs, keptSchema }) =>
          [
            `Tenant ${given.name} is on the server ${to}; writes had to wait for ${Math.round(stoppedMs)} ms.`,
            `Its former schema ${keptSchema} is kept on ${from}. Check the books, then: payin tenants drop-copy ${given.name}`,
          ].join('\n'),
        )
      }),
  }),
  recover: command({
    description: 'Clean up after an interrupted move or restore: the tenant works as before.',
    inputs: { name: tenant },
    run: (session, given) =>
      withTools(session, async (tools) => {
        const recovered = await tools.recover(given.name)
        session.showValue({ recovered }, () =>
          recovered
            ? `Tenant ${given.name} works as before.`
            : `No move or restore of the tenant ${given.name} was interrupted.`,
        )
      }),
  }),
  'drop-copy': command({
    description: 'Remove the former schema that a move or restore has kept.',
    inputs: { name: tenant },
    run: (session, given) =>
      withTools(session, async (tools) => {
        const dropped = await tools.dropCopy(given.name)
        session.showValue({ dropped }, () => `Removed ${dropped}.`)
      }),
  }),
  backup: command({
    description: 'Write a backup of a tenant to a file with pg_dump. Run it where the service runs.',
    inputs: { name: tenant, file: required('--file <file>', 'file to write; it must not exist') },
    run: (session, given) => {
      const file = resolve(session.surroundings.folder, given.file)
      if (existsSync(file)) throw new Failure([`${given.file} already exists. Give another --file.`], 2)
      return withTools(session, async (tools) => {
        await tools.backup(given.name, file)
        session.showValue({ file }, () => `The backup of the tenant ${given.name} is in ${given.file}.`)
      })
    },
  }),
  restore: command({
    description:
      'Restore a tenant from a backup with pg_restore; meanwhile its requests are refused. Checks its books.',
    inputs: {
      name: tenant,
      file: required('--file <file>', 'the backup'),
      server: optionOr('--server <name>', 'where to create the tenant, if it does not exist', 'main', (typed) => typed),
    },
    run: (session, given) => {
      const file = resolve(session.surroundings.folder, given.file)
      if (!existsSync(file)) throw new Failure([`${given.file} cannot be read: there is no such file.`], 2)
      return withTools(session, async (tools) => {
        const kept = await tools.restore(given.name, file, given.server)
        session.showValue({ kept: kept ?? null }, () =>
          kept === undefined
            ? `Tenant ${given.name} is restored.`
            : `Tenant ${given.name} is restored. Its former state is kept in the schema ${kept}; remove it by: payin tenants drop-copy ${given.name}`,
        )
      })
    },
  }),
}

export const tenantCommands: Group = {
  description: 'Tenants: several Payins on one service, each with its own merchants, accounts and books.',
  examples: [
    'payin tenants create acme',
    'payin tenants create globex --server b',
    'payin tenants list',
    'payin tenants move acme --server b',
    'payin tenants backup acme --file acme.dump',
    'payin tenants retire acme --confirm acme',
    'payin --tenant acme merchants create --name "Acme Shop" --mode live',
  ],
  commands: {
    create: request('POST /tenants', {
      description: 'Add a tenant, with its own schema; if interrupted, run it again to finish.',
      inputs: {
        name: argument('<name>', 'small letters, digits and underscores, starting with a letter'),
        server: option('--server <name>', 'a server of PAYIN_TENANT_SERVERS; default: main, that of DATABASE_URL'),
      },
      print: ({ name, server }: TenantAnswer) =>
        `Tenant ${name} is ready on the server ${server}. Use it with --tenant ${name}.`,
    }),
    retire: request('POST /tenants/{name}/retire', {
      description:
        'Close a tenant permanently: its merchants are refused, its jobs end, operators can still read it. Its schema stays.',
      inputs: {
        name: tenant,
        confirm: required('--confirm <name>', 'repeat the name'),
        freeNumbers: flag('--free-numbers', 'let other tenants use its account numbers; default: it keeps them'),
        evenIfOpen: flag('--even-if-open', 'even while payments are open: their money will not be matched'),
      },
      print: ({ name }: TenantAnswer) => `Tenant ${name} is retired. Its books can be read with --tenant ${name}.`,
    }),
    list: list('GET /tenants', {
      description: 'List the tenants in which you have a role; owners of main see all.',
      rows: ({ tenants }: TenantsAnswer) => tenants,
      empty: 'No tenants.',
      notes: ({ tenants }: TenantsAnswer) =>
        tenants
          .filter(({ interrupted }) => interrupted)
          .map(
            ({ name }) =>
              `A move or restore of ${name} was interrupted. Where the service runs: payin tenants recover ${name}`,
          )
          .join('\n') || undefined,
      columns: { NAME: 'name', MERCHANTS: 'merchants', SERVER: 'server', STATE: 'state', 'YOUR ROLE': 'role' },
    }),
    ...relocationCommands,
  },
}
