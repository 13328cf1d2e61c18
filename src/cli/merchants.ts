import type { Command } from 'commander'
import type { MerchantAnswer, ProfileAnswer } from '../http/operator-api/merchants.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId } from './find-merchant-id.ts'
import { printAmount, printFee, printFields, printRows, printSpan, printTime } from './print-table.ts'
import { orNone, readBytes, wholeNumber, words } from './read-arguments.ts'
import { inSession, path } from './session.ts'

type SettingOptions = {
  readonly returnHosts?: string[]
  readonly frameHosts?: string[]
  readonly accent?: string | object
  readonly maxOpenPayments?: number | object
}

const describe = ({ settings, ...merchant }: MerchantAnswer): string =>
  printFields({
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

const describeProfile = ({ limits, terms, ...merchant }: ProfileAnswer): string =>
  [
    describe(merchant),
    limits.length === 0
      ? 'No currency has limits yet: payin limits set rub --min 100 --max 300000'
      : printRows(limits, {
          'SMALLEST>': ({ min, currency }) => printAmount(min, currency),
          'LARGEST>': ({ max, currency }) => printAmount(max, currency),
        }),
    printRows(Object.entries(terms), {
      METHOD: ([method]) => method,
      'TIME TO PAY': ([, each]) => printSpan(each.timeToPayMs),
      GRACE: ([, each]) => printSpan(each.graceMs),
      'LATE WINDOW': ([, each]) => printSpan(each.lateWindowMs),
      'CONFIRM WITHIN': ([, each]) => printSpan(each.confirmDeadlineMs),
      'TOLERANCE>': ([, each]) => each.toleranceMinor,
      MISMATCH: ([, each]) => each.mismatchPolicy,
      'FEE>': ([, each]) => printFee(each),
    }),
  ].join('\n\n')

const addSettingOptions = (command: Command): Command =>
  command
    .option('--return-hosts <hosts>', 'hosts that returnUrl may name, separated by commas', words)
    .option('--frame-hosts <hosts>', "hosts whose pages may frame the payer's page, separated by commas", words)
    .option('--accent <colour>', "colour of buttons on the payer's page, such as #1a56c4, or none", orNone(String))
    .option('--max-open-payments <count>', 'most open payments at a time, or none', orNone(wholeNumber))

const settingsFrom = ({ returnHosts, frameHosts, accent, maxOpenPayments }: SettingOptions) => {
  const settings = { returnHosts, frameHosts, accent, maxOpenPayments }
  return Object.values(settings).every((value) => value === undefined) ? {} : { settings }
}

const addUpdates = (merchants: Command): void => {
  const update = merchants.command('update <merchant>').description('Change the name or the settings of a merchant.')
  addSettingOptions(update.option('--name <name>', 'new name')).action(
    inSession(async (session, named: string, options: SettingOptions & { name?: string }) => {
      const id = await findMerchantId(session, named)
      const body = { name: options.name, ...settingsFrom(options) }
      session.show(await session.send<MerchantAnswer>('PATCH', `/merchants/${id}`, body), describe)
    }),
  )
  for (const [name, status, effect] of [
    ['suspend', 'suspended', 'Refuse every request of a merchant.'],
    ['activate', 'active', 'Let a suspended merchant work again.'],
  ] as const) {
    merchants
      .command(`${name} <merchant>`)
      .description(effect)
      .action(
        inSession(async (session, named: string) => {
          const id = await findMerchantId(session, named)
          const answer = await session.send<MerchantAnswer>('PATCH', `/merchants/${id}`, { status })
          session.show(answer, (merchant) => `${merchant.name} is ${merchant.status}.`)
        }),
      )
  }
  merchants
    .command('logo <merchant>')
    .description("Set the logo that a merchant's payers see, or remove it.")
    .requiredOption('--file <path>', 'PNG or JPEG of at most 4 KiB, or none')
    .action(
      inSession(async (session, named: string, { file }: { file: string }) => {
        const id = await findMerchantId(session, named)
        const image = file === 'none' ? null : (await readBytes(file)).toString('base64')
        const answer = await session.send<{ logo: string | null }>('PUT', `/merchants/${id}/logo`, { image })
        session.show(answer, ({ logo }) => (logo === null ? 'No logo any more.' : `The logo is at ${logo}.`))
      }),
    )
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
    inSession(async (session, options: SettingOptions & { name: string; mode: string }) => {
      const { name, mode } = options
      const body = { name, mode, ...settingsFrom(options) }
      session.show(
        await session.send<MerchantAnswer>('POST', '/merchants', body),
        ({ id }) => `Created ${id}. Its token: payin tokens issue ${id} --name "shop server"`,
      )
    }),
  )

  merchants
    .command('list')
    .description('List the merchants.')
    .action(
      inSession(async (session) =>
        session.show(await session.get<{ merchants: MerchantAnswer[] }>('/merchants'), (body) =>
          body.merchants.length === 0
            ? 'No merchants yet. Create one: payin merchants create --name "Demo Shop" --mode sandbox'
            : printRows(body.merchants, {
                ID: ({ id }) => id,
                NAME: ({ name }) => name,
                MODE: ({ mode }) => mode,
                STATUS: ({ status }) => status,
                CREATED: ({ createdAt }) => printTime(createdAt),
              }),
        ),
      ),
    )

  merchants
    .command('show <merchant>')
    .description('Show a merchant with the limits and terms in force.')
    .action(
      inSession(async (session, named: string) => {
        const id = await findMerchantId(session, named)
        session.show(await session.get<ProfileAnswer>(path`/merchants/${id}`), describeProfile)
      }),
    )

  addUpdates(merchants)
}
