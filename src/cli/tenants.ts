import type { TenantAnswer, TenantsAnswer } from '../http/operator-api/tenants.ts'
import { type Group, list, request } from './commands.ts'
import { relocationCommands } from './relocate-tenants.ts'
import { argument, flag, option, required } from './inputs.ts'

/** `payin tenants`. */
export const tenantCommands: Group = {
  description: 'Tenants: several Payins on one service, each with merchants, accounts and books of its own.',
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
    create: request({
      description: 'Add a tenant, with a schema of its own; the same again finishes what was interrupted.',
      request: 'POST /tenants',
      inputs: {
        name: argument('<name>', 'small letters, digits and underscores, a letter first'),
        server: option('--server <name>', 'a server of PAYIN_TENANT_SERVERS; default: main, that of DATABASE_URL'),
      },
      print: ({ name, server }: TenantAnswer) =>
        `Tenant ${name} is there, on the server ${server}. Name it by --tenant ${name}.`,
    }),
    retire: request({
      description:
        'Close a tenant for good: its merchants are refused, its jobs end, operators can read it. Its schema stays.',
      request: 'POST /tenants/{name}/retire',
      inputs: {
        name: argument('<name>', 'which one'),
        confirm: required('--confirm <name>', 'the name again'),
        freeNumbers: flag('--free-numbers', 'let other tenants have its account numbers; default: they stay its own'),
        evenIfOpen: flag('--even-if-open', 'also while payments are open: their money will not be matched'),
      },
      print: ({ name }: TenantAnswer) => `Tenant ${name} is retired. Its books can be read with --tenant ${name}.`,
    }),
    list: list({
      description: 'List the tenants in which you have a role; for owners of main, all.',
      request: 'GET /tenants',
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
