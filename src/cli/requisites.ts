import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { Failure } from './failure.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printNext, printTable } from './print-table.ts'
import { digits, exactNumber, hours, orNone, readArray, wholeNumber } from './read-arguments.ts'
import { openSession, type Session } from './session.ts'

type Requisite = {
  readonly id: string
  readonly merchantId?: string
  readonly method: string
  readonly currency: string
  readonly bankIssuer: string
  readonly holder: string
  readonly number: string
  readonly status: string
}

type LimitOptions = Readonly<
  Record<
    'minAmount' | 'maxAmount' | 'dayAmount' | 'dayCount' | 'monthAmount' | 'monthCount' | 'openPayments' | 'pauseAfter',
    object | number | undefined
  >
> & { readonly workingHours?: [number, number] | object; readonly utcOffset?: number }

type AddOptions = LimitOptions & {
  readonly file?: string
  readonly method?: string
  readonly currency?: string
  readonly bank?: string
  readonly holder?: string
  readonly number?: string
  readonly merchant?: string
  readonly mode?: string
}

const addLimitOptions = (command: Command): Command =>
  command
    .option('--min-amount <amount>', 'smallest transfer, or none', orNone(exactNumber))
    .option('--max-amount <amount>', 'largest transfer, or none', orNone(exactNumber))
    .option('--day-amount <amount>', 'sum of a day, or none', orNone(exactNumber))
    .option('--day-count <count>', 'payments of a day, or none', orNone(wholeNumber))
    .option('--month-amount <amount>', 'sum of a month, or none', orNone(exactNumber))
    .option('--month-count <count>', 'payments of a month, or none', orNone(wholeNumber))
    .option('--open-payments <count>', 'payments that are open at a time, or none', orNone(wholeNumber))
    .option('--working-hours <hours>', 'when it is handed out, such as 09:00-21:00, or none', orNone(hours))
    .option(
      '--pause-after <count>',
      'expired payments or unknown transfers in a row that pause it, or none',
      orNone(wholeNumber),
    )
    .option('--utc-offset <minutes>', 'zone of its days and hours, such as 180', Number)

const limitsFrom = (options: LimitOptions) => {
  const { minAmount, maxAmount, dayAmount, dayCount, monthAmount, monthCount, openPayments } = options
  const limits = {
    ...{ minAmount, maxAmount, dayAmount, dayCount, monthAmount, monthCount, openPayments },
    workingMinutes: options.workingHours,
    pauseAfter: options.pauseAfter,
    utcOffsetMinutes: options.utcOffset,
  }
  return Object.values(limits).some((value) => value !== undefined) ? { limits } : {}
}

const bodyOf = async (session: Session, options: AddOptions): Promise<string> => {
  const { file, method, currency, bank, holder, number, merchant } = options
  if (file !== undefined) return `{"requisites":${await readArray(file)}}`
  const missing = Object.entries({ method, currency, bank, holder, number }).filter(([, value]) => value === undefined)
  if (missing.length > 0) {
    throw new Failure([`Give ${missing.map(([name]) => `--${name}`).join(', ')}, or --file.`], 2)
  }
  const requisite = {
    method,
    currency,
    bankIssuer: bank,
    holder,
    number: digits(number ?? ''),
    ...(method === 'by-phone' ? { transferScope: 'international' } : {}),
    ...(merchant === undefined ? {} : { merchantId: await findMerchantId(session, merchant) }),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...limitsFrom(options),
  }
  return JSON.stringify({ requisites: [requisite] })
}

const addStatusCommands = (requisites: Command): void => {
  for (const [name, status, effect] of [
    ['pause', 'paused', 'Hand a requisite out no more, until it is resumed.'],
    ['resume', 'active', 'Hand a paused requisite out again.'],
    ['retire', 'retired', 'Take a requisite away for good.'],
  ] as const) {
    requisites
      .command(`${name} <requisite-id>`)
      .description(effect)
      .action(async (id: string, _options: object, command: Command) => {
        const session = openSession(command)
        const answer = await session.send<Requisite>('PATCH', `/requisites/${encodeURIComponent(id)}`, { status })
        session.show(answer, (requisite) => `${requisite.number} (${requisite.bankIssuer}) is ${requisite.status}.`)
      })
  }
  const limit = requisites.command('limit <requisite-id>').description('Change the limits of a requisite.')
  addLimitOptions(limit).action(async (id: string, options: LimitOptions, command: Command) => {
    const session = openSession(command)
    const path = `/requisites/${encodeURIComponent(id)}`
    session.show(await session.send<Requisite>('PATCH', path, limitsFrom(options)), () => 'The limits are set.')
  })
}

const addListCommand = (requisites: Command): void => {
  const list = requisites
    .command('list')
    .description('List requisites; their numbers are masked.')
    .option('--method <method>', 'only this method')
    .option('--currency <currency>', 'only this currency')
    .option('--status <status>', 'active, paused or retired')
  addPageOptions(list).action(async (options: Record<string, string>, command: Command) => {
    const session = openSession(command)
    const { method, currency, status, limit, cursor } = options
    const query = { method, currency, status, limit, cursor }
    session.show(await session.get<{ requisites: Requisite[]; nextCursor?: string }>('/requisites', query), (body) => {
      if (body.requisites.length === 0) return 'No such requisites. Add some: payin requisites add --help'
      const rows = body.requisites.map((each) => [
        ...[each.id, each.method, each.currency, each.bankIssuer, each.number, each.holder, each.status],
        each.merchantId ?? 'shared',
      ])
      const heads = ['ID', 'METHOD', 'CURRENCY', 'BANK', 'NUMBER', 'HOLDER', 'STATUS', 'OWNER']
      return printTable(heads, rows) + printNext(body.nextCursor)
    })
  })
}

/** Adds `payin requisites`, but for `explain`; answers the group. */
export const addRequisiteCommands = (program: Command): Command => {
  const requisites = program.command('requisites').description('Receiving accounts, cards and phone numbers.')
  addExamples(requisites, [
    'payin requisites add --method sbp --currency rub --bank sberbank --holder "Ivan Petrov" --number 79991234567',
    'payin requisites add --file requisites.json      (JSON array; - reads it from standard input)',
    'payin requisites list --method sbp --status active',
    'payin requisites health --mode live',
    'payin requisites explain "Demo Shop" --method sbp --currency rub --amount 5000.37',
  ])

  const add = requisites
    .command('add')
    .description(
      'Add one requisite by options, or many by --file, all or none: [{ method, currency, bankIssuer, holder, number, transferScope?, merchantId?, limits? }]. What is typed stays in the history of the shell; --file - does not.',
    )
    .option('--file <path>', 'JSON array of at most 1000 requisites; - for standard input')
    .option('--method <method>', 'card-to-card, sbp, account-to-account or by-phone')
    .option('--currency <currency>', 'code, such as rub')
    .option('--bank <code>', 'code of its bank issuer')
    .option('--holder <name>', 'legal owner')
    .option('--number <digits>', 'card, account or phone number')
    .option('--mode <mode>', "live or sandbox: which merchants it serves; the owner's mode, else live")
    .option('--merchant <merchant>', `${merchantArgument} that owns it; shared by all unless told`)
  addLimitOptions(add).action(async (options: AddOptions, command: Command) => {
    const session = openSession(command)
    const answer = await session.send<{ ids: string[] }>('POST', '/requisites', await bodyOf(session, options))
    session.show(answer, ({ ids }) => (ids.length === 1 ? `Added ${ids[0]}.` : `Added ${ids.length} requisites.`))
  })

  addListCommand(requisites)
  addStatusCommands(requisites)
  return requisites
}
