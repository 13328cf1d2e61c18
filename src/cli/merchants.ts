import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { Failure } from './failure.ts'
import { printAmount, printFee, printFields, printSpan, printTable, printTime } from './print-table.ts'
import { orNone, readBytes, wholeNumber, words } from './read-arguments.ts'
import { openSession, type Session } from './session.ts'
import type { Terms } from './terms.ts'

type Merchant = {
  readonly id: string
  readonly name: string
  readonly mode: string
  readonly status: string
  readonly settings: {
    readonly returnHosts: readonly string[]
    readonly frameHosts: readonly string[]
    readonly accent: string | null
    readonly maxOpenPayments: number | null
  }
  readonly createdAt: string
}

type Profile = Merchant & {
  readonly limits: readonly { readonly currency: string; readonly min: number; readonly max: number }[]
  readonly terms: Readonly<Record<string, Terms>>
}

type SettingOptions = {
  readonly returnHosts?: string[]
  readonly frameHosts?: string[]
  readonly accent?: string | object
  readonly maxOpenPayments?: number | object
}

/** The id of a merchant that is named by its id or by its exact name. */
export const findMerchantId = async (session: Session, named: string): Promise<string> => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named)) return named.toLowerCase()
  const { body } = await session.get<{ merchants: Merchant[] }>('/merchants')
  const [found, ...others] = body.merchants.filter((merchant) => merchant.name === named)
  if (!found) throw new Failure([`There is no merchant named "${named}"; payin merchants list shows them.`])
  if (others.length > 0) throw new Failure([`Several merchants are named "${named}"; give the id.`])
  return found.id
}

/** Describes the argument `<merchant>`. */
export const merchantArgument = 'id or exact name of the merchant'

const fieldsOf = ({ settings, ...merchant }: Merchant) => ({
  Id: merchant.id,
  Name: merchant.name,
  Mode: merchant.mode,
  Status: merchant.status,
  Created: printTime(merchant.createdAt),
  'Return hosts': settings.returnHosts.join(', ') || 'none',
  'Frame hosts': settings.frameHosts.join(', ') || 'none',
  Accent: settings.accent ?? "the page's own",
  'Open payments': settings.maxOpenPayments === null ? 'no limit' : `at most ${settings.maxOpenPayments}`,
})

const tell = ({ limits, terms, ...merchant }: Profile): string => {
  const limitRows = limits.map(({ currency, min, max }) => [printAmount(min, currency), printAmount(max, currency)])
  const termRows = Object.entries(terms).map(([method, each]) => [
    method,
    printSpan(each.timeToPayMs),
    printSpan(each.graceMs),
    printSpan(each.lateWindowMs),
    printSpan(each.confirmDeadlineMs),
    each.toleranceMinor,
    each.mismatchPolicy,
    printFee(each),
  ])
  const termHeads = [
    'METHOD',
    'TIME TO PAY',
    'GRACE',
    'LATE WINDOW',
    'CONFIRM WITHIN',
    'TOLERANCE>',
    'MISMATCH',
    'FEE>',
  ]
  return [
    printFields(fieldsOf(merchant)),
    limitRows.length > 0
      ? printTable(['SMALLEST>', 'LARGEST>'], limitRows)
      : 'No currency has limits yet: payin limits set rub --min 100 --max 300000',
    printTable(termHeads, termRows),
  ].join('\n\n')
}

const addSettingOptions = (command: Command): Command =>
  command
    .option('--return-hosts <hosts>', 'hosts that returnUrl may name, between commas', words)
    .option('--frame-hosts <hosts>', "hosts whose pages may frame the payer's page, between commas", words)
    .option('--accent <colour>', "colour of buttons on the payer's page, such as #1a56c4, or none", orNone(String))
    .option('--max-open-payments <count>', 'most open payments at a time, or none', orNone(wholeNumber))

const settingsFrom = ({ returnHosts, frameHosts, accent, maxOpenPayments }: SettingOptions) => {
  const settings = { returnHosts, frameHosts, accent, maxOpenPayments }
  return Object.values(settings).every((value) => value === undefined) ? {} : { settings }
}

const addLogoCommand = (merchants: Command): void => {
  merchants
    .command('logo <merchant>')
    .description("Set the logo that a merchant's payers see, or remove it.")
    .requiredOption('--file <path>', 'PNG or JPEG of at most 4 KiB, or none')
    .action(async (named: string, { file }: { file: string }, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      const image = file === 'none' ? null : (await readBytes(file)).toString('base64')
      const answer = await session.send<{ logo: string | null }>('PUT', `/merchants/${id}/logo`, { image })
      session.show(answer, ({ logo }) => (logo === null ? 'No logo any more.' : `The logo is at ${logo}.`))
    })
}

const addUpdates = (merchants: Command): void => {
  const update = merchants.command('update <merchant>').description('Change the name or the settings of a merchant.')
  addSettingOptions(update.option('--name <name>', 'new name')).action(
    async (named: string, options: SettingOptions & { name?: string }, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      const body = { name: options.name, ...settingsFrom(options) }
      session.show(await session.send<Merchant>('PATCH', `/merchants/${id}`, body), (merchant) =>
        printFields(fieldsOf(merchant)),
      )
    },
  )
  for (const [name, status, effect] of [
    ['suspend', 'suspended', 'Refuse every request of a merchant.'],
    ['activate', 'active', 'Let a suspended merchant work again.'],
  ] as const) {
    merchants
      .command(`${name} <merchant>`)
      .description(effect)
      .action(async (named: string, _options: object, command: Command) => {
        const session = openSession(command)
        const id = await findMerchantId(session, named)
        const answer = await session.send<Merchant>('PATCH', `/merchants/${id}`, { status })
        session.show(answer, (merchant) => `${merchant.name} is ${merchant.status}.`)
      })
  }
}

/** Adds `payin merchants`. */
export const addMerchantCommands = (program: Command): void => {
  const merchants = program.command('merchants').description('Companies whose users pay through the service.')
  addExamples(merchants, [
    'payin merchants create --name "Demo Shop" --mode sandbox',
    'payin merchants show "Demo Shop"',
    'payin merchants update "Demo Shop" --return-hosts shop.example.com --max-open-payments 5000',
  ])

  const create = merchants
    .command('create')
    .description('Create a merchant.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--mode <mode>', 'live, or sandbox for simulated money')
  addSettingOptions(create).action(
    async (options: SettingOptions & { name: string; mode: string }, command: Command) => {
      const session = openSession(command)
      const { name, mode } = options
      const answer = await session.send<Merchant>('POST', '/merchants', { name, mode, ...settingsFrom(options) })
      session.show(answer, ({ id }) => `Created ${id}. Its token: payin tokens issue ${id} --name "shop server"`)
    },
  )

  merchants
    .command('list')
    .description('List the merchants.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ merchants: Merchant[] }>('/merchants'), (body) =>
        body.merchants.length === 0
          ? 'No merchants yet. Create one: payin merchants create --name "Demo Shop" --mode sandbox'
          : printTable(
              ['ID', 'NAME', 'MODE', 'STATUS', 'CREATED'],
              body.merchants.map(({ id, name, mode, status, createdAt }) => [
                id,
                name,
                mode,
                status,
                printTime(createdAt),
              ]),
            ),
      )
    })

  merchants
    .command('show <merchant>')
    .description('Show a merchant with the limits and terms in force.')
    .action(async (named: string, _options: object, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      session.show(await session.get<Profile>(`/merchants/${id}`), tell)
    })

  addUpdates(merchants)
  addLogoCommand(merchants)
}
