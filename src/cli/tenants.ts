import type { TenantAnswer, TenantsAnswer } from '../http/operator-api/tenants.ts'
import { type Group, list, request } from './commands.ts'
import { argument } from './inputs.ts'

/** `payin tenants`. */
export const tenantCommands: Group = {
  description: 'Tenants: several Payins on one service, each with merchants, accounts and books of its own.',
  examples: [
    'payin tenants create acme',
    'payin tenants list',
    'payin --tenant acme merchants create --name "Acme Shop" --mode live',
  ],
  commands: {
    create: request({
      description: 'Add a tenant, with a schema of its own; the same again finishes what was interrupted.',
      request: 'POST /tenants',
      inputs: { name: argument('<name>', 'small letters, digits and underscores, a letter first') },
      print: ({ name }: TenantAnswer) => `Tenant ${name} is there. Name it by --tenant ${name}.`,
    }),
    list: list({
      description: 'List the tenants.',
      request: 'GET /tenants',
      rows: ({ tenants }: TenantsAnswer) => tenants,
      empty: 'No tenants.',
      columns: { NAME: 'name', MERCHANTS: 'merchants' },
    }),
  },
}
