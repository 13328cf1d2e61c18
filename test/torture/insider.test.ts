// One dishonest person: an owner, an operator, somebody of finance or support, in league with a merchant and its payers,
// does over HTTP whatever the role allows, in random order. No merchant is ever worth more than what the bank has
// reported, plus what one person may do alone within a day; and the audit names whoever did each act.
import assert from 'node:assert/strict'
import { bigint, query } from 'payin-database'
import { hour } from '../../src/rules/time.ts'
import {
  amounts,
  highest,
  type Known,
  lowest,
  openTricks,
  openWorld,
  runMoneyJobs,
  tokenOf,
  type World,
} from '../support/insider.ts'
import { followAudit } from '../support/insider-audit.ts'
import { oneOf, randomFrom } from '../support/random.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { countOf, openSightings, repeat, seedOf } from '../support/torture.ts'

const roles = {
  olga: 'owner',
  olaf: 'owner',
  otto: 'operator',
  fima: 'finance',
  sara: 'support',
  vera: 'auditor',
} as const
type Insider = Exclude<keyof typeof roles, 'olaf' | 'vera'>
const insiders: readonly Insider[] = ['olga', 'otto', 'fima', 'sara']

/** What one person may do alone within 24 hours, in USDT. */
const bound = 100

const { onOne } = shareEngines({
  PAYIN_SECOND_PERSON_ABOVE: String(bound),
  // Unset, as in most installations: the bound of settlements applies, because several people move money.
  PAYIN_LONE_REPORTS_ABOVE: '',
  PAYIN_OPERATOR_TOKENS: Object.entries(roles)
    .map(([name, role]) => `${name}/${role}:${tokenOf(name)}`)
    .join(),
})

/** What all live merchants are and were owed, in millionths of USDT: available, held, and paid out. */
const sumWorth = query('test_sum_worth_of_merchants', {
  row: { worth: bigint, paidOut: bigint },
  text: `select coalesce(sum(balance), 0)::bigint as worth,
      coalesce(sum(balance) filter (where account like '%paid-out'), 0)::bigint as paid_out
    from ledger_balances where account like 'merchant:%' and currency = 'USDT'`,
})

/**
 * Money that the bank itself has reported, in minor units, and that no merchant was credited with: what is in no paid
 * payment, less the overpayments that were assigned.
 */
const sumUnspent = query('test_sum_unspent', {
  row: { amount: bigint },
  text: `select (coalesce(sum(parts.amount), 0) - (
      select coalesce(sum(least(assigned.amount, (
          select coalesce(sum(parts.amount), 0) from transfer_parts as parts
            join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
            where parts.merchant_id = assigned.merchant_id and parts.payment_id = assigned.payment_id
              and parts.kind = 'overpayment' and parts.replaced_at is null and transfers.reported_by is null))), 0)
        from (select merchant_id, payment_id, sum(amount) as amount from overpayment_decisions
          where decision = 'assign' and reversed_at is null group by 1, 2) as assigned))::bigint as amount
    from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    left join payments on payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id
    where transfers.reported_by is null and parts.replaced_at is null and parts.kind <> 'reversed'
      and not (parts.kind = 'payment' and payments.status in ('paid', 'disput-paid'))`,
})

const worthOf = async ({ service }: World) => {
  const [{ worth, paidOut } = { worth: 0n, paidOut: 0n }] = await service.context.query(sumWorth, {})
  const [{ amount } = { amount: 0n }] = await service.context.query(sumUnspent, {})
  return {
    worth: Math.abs(Number(worth)) / 1e6,
    paidOut: Math.abs(Number(paidOut)) / 1e6,
    unspent: Number(amount) / 100,
  }
}

type Trick = keyof ReturnType<typeof openTricks>

/** Ways in which money was made by one person before; what else comes to mind may come between their steps. */
const schemes: readonly (readonly Trick[])[] = [
  ['create', 'typeIn', 'accept', 'draft', 'approve', 'pay'],
  ['create', 'late', 'dispute', 'typeIn', 'acceptDispute', 'confirmDispute'],
  ['create', 'late', 'claim', 'acceptDispute', 'confirmDispute'],
  ['setRate', 'create', 'typeIn', 'setRate', 'draft', 'approve', 'pay'],
  ['override', 'create', 'typeIn', 'endOverride'],
  ['addRates', 'addRates', 'addRates', 'create', 'typeIn'],
  ['create', 'upload', 'find', 'assign', 'draft', 'approve', 'pay'],
  ['create', 'pushWithOwnKey', 'find', 'accept'],
  ['draft', 'fail', 'draft', 'approve', 'fail', 'draft', 'approve', 'pay', 'draft', 'approve', 'pay'],
  ['typeIn', 'create', 'assign', 'unassign', 'assign', 'overpayment'],
  ['divert', 'draft', 'approve', 'pay'],
  ['adjust', 'terms', 'create', 'typeIn', 'overpayment'],
  ['upload', 'outgoing', 'draft', 'approve', 'outgoing', 'pay', 'outgoing', 'outgoing'],
  ['addRequisite', 'openBalance', 'changeMerchant', 'create', 'typeIn', 'changeRequisite', 'draft', 'approve', 'pay'],
  ['invite', 'useOwnToken', 'typeIn', 'accept'],
]

/** One sequence, in a day of its own: the bank reports some money, and the insider does what comes to mind. */
const play = async (world: World, seed: number, seen: ReturnType<typeof openSightings>): Promise<void> => {
  const { service, bank } = world
  const random = randomFrom(seed)
  const who = oneOf(random, insiders)
  service.clock.advance(25 * hour)
  await runMoneyJobs(service)
  const compareAudit = await followAudit(service)
  await world.agreeOnRate()
  const known: Known = {
    payments: [],
    transfers: [],
    disputes: [],
    drafts: [],
    refunds: [],
    diverted: [],
    requisiteIds: [],
    acts: [],
  }
  const tricks = openTricks(world, who, random, known)
  const before = await worthOf(world)
  let reported = 0
  const story: string[] = []
  await tricks.create()
  const plan = [...oneOf(random, schemes)]
  for (let steps = 4 + random(16); steps > 0; steps--) {
    const payment = known.payments.at(-1)
    if (payment && random(8) === 0) {
      // The bank's own report.
      const amount = random(2) === 0 ? payment.amount : oneOf(random, amounts)
      const pushed = await bank([
        {
          ...{ requisiteId: payment.requisiteId, amount, currency: 'rub' },
          ...{ bookedAt: new Date(service.clock.now).toISOString(), bankReference: `bank-${seed}-${steps}` },
        },
      ])
      if (pushed.status === 200) reported += amount
      story.push(`bank ${amount}`)
      continue
    }
    const planned = random(3) > 0 ? plan.shift() : undefined
    const name = planned ?? oneOf(random, Object.keys(tricks) as Trick[])
    const answer = await tricks[name]()
    if (!answer) continue
    // A machine that others keep busy may refuse as overloaded: nothing was changed.
    assert.ok(
      answer.status < 500 || answer.body?.code === 'overloaded',
      `seed ${seed}: ${name} ${answer.status} ${JSON.stringify(answer.body)}`,
    )
    const state = answer.body?.transfers?.[0]?.state ?? answer.body?.status ?? ''
    story.push(`${name} ${answer.status} ${answer.body?.code ?? state}`)
    if (answer.status < 300) seen.note(`${roles[who]} ${name}`)
    seen.note(answer.body?.code === 'second_person_required' ? 'refused alone' : 'answered')
  }
  const after = await worthOf(world)
  // What was typed in counts at the last rate, and is credited at the rate of its payment. What the bank reported backs
  // only what was credited with it: money of earlier days that is still unspent allows nothing.
  const alone = bound * (highest / lowest)
  const allowed = (before.unspent + reported - after.unspent) / lowest + alone
  const gained = after.worth - before.worth
  const tale = `seed ${seed}, ${who}: ${JSON.stringify({ before, after, reported, story }, null, 1)}`
  assert.ok(gained <= allowed + 0.01, `more credited than reported; ${tale}`)
  assert.ok(after.paidOut - before.paidOut <= bound + 0.01, `more paid out than one person may; ${tale}`)
  await compareAudit(who, known.acts, tale)
  if (gained > 1) seen.note('gained')
  await world.tidyUp(known)
}

const run = async (service: TestService, count: number): Promise<void> => {
  const seen = openSightings()
  const world = await openWorld(service)
  const first = seedOf() * 1_000_000
  await repeat(
    'insiders',
    count,
    async (index) => {
      await play(world, first + index, seen)
      if (index % 20 !== 19) return
      await world.rejectClaims()
      await service.runJobs()
    },
    () => seen.text(),
  )
  await assertHealthy(service)
  if (count >= 100)
    seen.assertSeen('refused alone', 'gained', 'operator typeIn', 'finance setRate', 'owner pushWithOwnKey')
  const { body } = await world.call('vera', 'GET', '/audit/verify')
  assert.equal(body.isWhole, true)
}

onOne('whoever is dishonest alone gains at most what one person may', (service) => run(service, countOf(60)))
