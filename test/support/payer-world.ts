// Payers, attackers and banks, made up by a seed: who pays what from where, and what the bank reports of it. The rules
// decide as in the service; the world knows for which payment each transfer was meant.
import type { Candidate, IncomingTransfer } from '../../src/rules/transfers/candidate.ts'
import { payerKeys } from '../../src/rules/transfers/candidate.ts'
import { maskSource } from '../../src/rules/values/masking.ts'
import { matchTransfer } from '../../src/rules/transfers/match.ts'
import { endOfTime, receiveMoney } from '../../src/rules/payments/receive-money.ts'
import {
  applyChange,
  creditedStatuses,
  lateUntil,
  openStatuses,
  payableStatuses,
  type Payment,
  type PaymentType,
  slotUntil,
} from '../../src/rules/payments/payment.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { payment as buildPayment } from './builders.ts'
import { oneOf, type Random } from './random.ts'

// The most frequent names, each as often as it is among a hundred people.
const given =
  'Александр Александр Александр Александр Елена Елена Елена Сергей Сергей Сергей Татьяна Татьяна Наталья Наталья Ольга Ольга Владимир Владимир Андрей Андрей Ирина Ирина Алексей Алексей Анна Анна Светлана Светлана Дмитрий Дмитрий Мария Мария Николай Юлия Екатерина Иван Евгений Михаил Людмила Павел Виктор Анастасия Максим Юрий Игорь Роман Олег Артём Ксения Денис Вера Илья Антон Кирилл Никита Полина Дарья Алина Галина Марина Оксана Вадим Егор Пётр Георгий Тимур Руслан Диана Лариса'.split(
    ' ',
  )
const family =
  'Иванов Смирнов Кузнецов Попов Васильев Петров Соколов Михайлов Новиков Фёдоров Морозов Волков Алексеев Лебедев Семёнов Егоров Павлов Козлов Степанов Николаев Орлов Андреев Макаров Никитин Захаров Зайцев Соловьёв Борисов Яковлев Григорьев Романов Воробьёв Сергеев Кузьмин Фролов Александров Дмитриев Королёв Гусев Киселёв Ильин Максимов Поляков Сорокин Виноградов Ковалёв Белов Медведев Антонов Тарасов Жуков Баранов Филиппов Комаров Давыдов Беляев Герасимов Богданов Осипов Сидоров Матвеев Титов Марков Миронов Крылов Куликов Карпов Власов Мельников Денисов Гаврилов Тихонов Казаков Афанасьев Данилов Савельев Тимофеев Фомин Чернов Абрамов Мартынов Ефимов Федотов Щербаков Назаров Калинин Исаев Чернышёв Быков Маслов Родионов Коновалов Лазарев Воронин Климов Филатов Пономарёв Голубев Кудрявцев Прохоров Наумов Потапов Журавлёв Овчинников Трофимов Леонов Соболев Ермаков Колесников Гончаров Емельянов Никифоров Грачёв Котов Гришин Ефремов Архипов Громов Кириллов Малышев Панов Моисеев Румянцев Акимов Кондратьев Бирюков Горбунов Анисимов Ерёмин Тихомиров Галкин Лукьянов Михеев Скворцов Юдин Белоусов Нестеров Симонов Прокофьев Харитонов Князев Цветков Левин Митрофанов Воронов Аксёнов Софронов Мальцев Логинов Горшков Савин Краснов Майоров Демидов Елисеев Рыбаков Сафонов Плотников Демин Хохлов Фадеев Молчанов Игнатов Литвинов Ершов Ушаков Дементьев Рябов Мухин Калашников Леонтьев Лобанов Кузин Корнеев Евдокимов Бородин Платонов Некрасов Балашов Бобров Жданов Блинов Игнатьев Коротков Муравьёв Крюков Беляков Богомолов Дроздов Лавров Зуев Петухов Ларин Никулин Серов Терентьев Зотов Устинов Фокин Самойлов Константинов Сахаров Шишкин Самсонов Черкасов Чистяков Носов Спиридонов Карасёв Авдеев Воронцов Зверев Владимиров Селезнёв Нечаев Кудряшов Седов Фирсов Андрианов Панфилов Головин Терехов Ульянов Шестаков Агеев Никонов Селиванов Баженов Гордеев Кожевников Пахомов Зимин Костин Широков Филимонов Ларионов Овсянников Сазонов Суворов Нефёдов Корнилов Любимов Львов Горбачёв Копылов Лукин Токарев Кулешов Шилов Большаков Панкратов Родин Шаповалов Покровский Бочаров Никольский Маркин Горелов Агафонов Березин Ермолаев Зубков Куприянов Трифонов Масленников Круглов Третьяков Колосов Рожков Артамонов Шмелёв Лаптев Лапшин Федосеев Зиновьев Зорин Уткин Столяров Зубов Ткачёв Дорофеев Антипов Завьялов Свиридов Золотарёв Кулаков Мещеряков Макеев Дьяконов Гуляев Петровский Бондарев Поздняков Панфёров Кочетков Суханов Рыжов Старостин Калмыков Колесов Золотов Кравцов Субботин Шубин Щукин Лосев Винокуров Лапин Парфёнов Исаков Голованов Коровин Ростов Сухарев'.split(
    ' ',
  )
const patronymics =
  'Александрович Сергеевич Владимирович Викторович Николаевич Иванович Андреевич Юрьевич Алексеевич Анатольевич Михайлович Васильевич Дмитриевич Петрович Олегович Игоревич'.split(
    ' ',
  )

const banks = ['sber', 'sber', 'sber', 'tbank', 'tbank', 'alfa', 'vtb', 'raiffeisen'] as const

/** Somebody with a bank account. */
export type Person = {
  readonly id: string
  readonly phone: string
  readonly bank: string
  readonly words: readonly [string, string, string]
}

const person = (random: Random, index: number): Person => ({
  id: `person-${index}`,
  phone: `79${String(100_000_000 + index * 7919).slice(-9)}`,
  bank: oneOf(random, banks),
  words: [oneOf(random, given), oneOf(random, patronymics), oneOf(random, family)],
})

/** The name of a person as one of the banks writes it, and as people type it. */
const nameOf = (random: Random, { words: [first, middle, last] }: Person): string =>
  oneOf(random, [
    `${first} ${middle} ${last[0]}.`,
    `${first} ${middle} ${last[0]}.`,
    `${last} ${first} ${middle}`,
    `${first} ${last[0]}.`,
  ])

/** How one payer behaves. */
type Fate = 'pays' | 'late' | 'twice' | 'halves' | 'rounds' | 'mistypes' | 'leaves' | 'cancels-and-pays' | 'lends'

/** Shares of a thousand payers. */
export type Habits = Readonly<Record<Exclude<Fate, 'pays'>, number>> & {
  readonly attackers: number
  readonly wrongNames: number
  readonly wrongNumbers: number
  readonly wrongBanks: number
}

/** What the banks of senders report, in hundredths. */
export type Reporting = {
  readonly whole: number
  readonly masked: number
  readonly named: number
  readonly banks: number
  readonly texts: number
  readonly days: number
}

/** A payment with what the world knows of it. */
type Order = {
  payment: Payment
  readonly payer: Person
  readonly isAttack: boolean
  readonly typed: string | null
  readonly typedName: string | null
  readonly takenAt: number
  heldUntil: number
  readonly paidNames: string[]
  readonly paidBanks: string[]
}

/** Money that somebody sends for a payment. */
type Money = {
  readonly sender: Person
  readonly amount: bigint
  readonly text: string | null
  readonly bookedAt: number
}

export type WorldPlan = {
  readonly accounts: number
  readonly people: number
  readonly payments: number
  readonly everyMs: number
  readonly prices: readonly bigint[]
  /** Hundredths of payments with a random amount. */
  readonly randomAmounts: number
  /** Hundredths of payers who say "I have paid". */
  readonly claims: number
  /** Hundredths of payments that are staged. */
  readonly staged: number
  readonly habits: Habits
  readonly reporting: Reporting
}

/** What happened in a world. */
export type WorldCounts = {
  created: number
  refused: number
  shared: number
  transfers: number
  automatic: number
  waiting: number
  /** Credited to another payment than the one that it was meant for. */
  readonly wrong: string[]
  /** Waiting transfers whose payment was the first suggestion, and all that had one. */
  firstRight: number
  suggested: number
  readonly reasons: Map<string, number>
}

type Event = { readonly at: number; readonly run: () => void }

/** Events in the order of their times; those of one time in the order in which they were added. */
class Agenda {
  private readonly heap: Event[] = []
  add(at: number, run: () => void): void {
    this.heap.push({ at, run })
    let place = this.heap.length - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if ((this.heap[parent] as Event).at <= at) break
      ;[this.heap[place], this.heap[parent]] = [this.heap[parent] as Event, this.heap[place] as Event]
      place = parent
    }
  }
  next(): Event | undefined {
    const [first] = this.heap
    const last = this.heap.pop()
    if (!first || !last || this.heap.length === 0) return first
    this.heap[0] = last
    let place = 0
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      if (left < this.heap.length && (this.heap[left] as Event).at < (this.heap[least] as Event).at) least = left
      if (right < this.heap.length && (this.heap[right] as Event).at < (this.heap[least] as Event).at) least = right
      if (least === place) return first
      ;[this.heap[place], this.heap[least]] = [this.heap[least] as Event, this.heap[place] as Event]
      place = least
    }
  }
}

const begin = Date.parse('2026-03-02T06:00:00.000Z')

/** Plays a world to its end. */
export const playWorld = (random: Random, plan: WorldPlan): WorldCounts => {
  const people = Array.from({ length: plan.people }, (_, index) => person(random, index))
  const accounts: Order[][] = Array.from({ length: plan.accounts }, () => [])
  const paidBefore = new Map<string, Set<string>>()
  const namesOfUsers = new Map<string, string[]>()
  const agenda = new Agenda()
  const counts: WorldCounts = {
    ...{ created: 0, refused: 0, shared: 0, transfers: 0, automatic: 0, waiting: 0, firstRight: 0, suggested: 0 },
    ...{ wrong: [], reasons: new Map() },
  }
  let now = begin
  const chance = (hundredths: number): boolean => random(100) < hundredths
  const permille = (share: number): boolean => random(1000) < share

  const save = (order: Order, payment: Payment): void => {
    order.payment = payment
    order.heldUntil = slotUntil(payment, now) ?? order.heldUntil
  }

  const passTime = (order: Order): void => {
    const change = endOfTime(order.payment, now)
    if (change) save(order, applyChange(order.payment, change, now))
  }

  const ordersOn = (account: number): Order[] => {
    const all = accounts[account] as Order[]
    // Those that ended an hour ago are no longer suggested either.
    if (all.length > 100) accounts[account] = all.filter(({ heldUntil }) => heldUntil > now - hour)
    return accounts[account] as Order[]
  }

  const holdersOf = (account: number, amount: bigint): Order[] =>
    ordersOn(account).filter((order) => order.heldUntil > now && order.payment.amount === amount)

  let turn = 0
  /** An account on which nobody holds the amount, and how many there are. */
  const findFree = (amount: bigint): { account: number; others: number } | undefined => {
    const free: number[] = []
    for (let step = 0; step < plan.accounts && free.length < 2; step++) {
      const account = (turn + step) % plan.accounts
      if (holdersOf(account, amount).length === 0) free.push(account)
    }
    const [account] = free
    if (account === undefined) return undefined
    turn = account + 1
    return { account, others: free.length - 1 }
  }

  const findShared = (amount: bigint): number | undefined => {
    const open = accounts.map((_, account) => ({ account, holders: holdersOf(account, amount) }))
    const sharing = open.filter(({ holders }) => holders.every(({ payment }) => payment.type === 'staged'))
    return sharing.toSorted((a, b) => a.holders.length - b.holders.length)[0]?.account
  }

  const report = ({ sender, text, bookedAt }: Money): Partial<IncomingTransfer> => {
    const dice = random(100)
    const { whole, masked, named, days } = plan.reporting
    const number =
      dice < whole
        ? { senderIndex: sender.phone, senderMasked: maskSource(sender.phone) }
        : dice < whole + masked
          ? { senderIndex: sender.phone.slice(-4), senderMasked: `*${sender.phone.slice(-4)}` }
          : { senderIndex: null, senderMasked: '' }
    const time = chance(days)
      ? { earliestAt: bookedAt - (bookedAt % day), bookedOn: new Date(bookedAt).toISOString().slice(0, 10) }
      : {}
    return {
      ...number,
      ...time,
      senderBank: chance(plan.reporting.banks) ? sender.bank : null,
      senderName: chance(named) ? nameOf(random, sender) : null,
      text,
    }
  }

  const candidateOf = (order: Order): Candidate => {
    const { payment, takenAt, heldUntil, typed, typedName, paidNames, paidBanks } = order
    const payerNames = payment.userIdGiven ? (namesOfUsers.get(`${payment.merchantId} ${payment.userId}`) ?? []) : []
    return { payment, takenAt, heldUntil, payerIndex: typed, payerName: typedName, paidNames, paidBanks, payerNames }
  }

  const receive = (order: Order, transfer: IncomingTransfer): void => {
    const before = order.payment
    if (!payableStatuses.has(before.status)) return
    const outcome = receiveMoney(before, transfer)
    save(order, 'wait' in outcome ? { ...before, received: outcome.wait } : applyChange(before, outcome, now))
    if (before.sourcePan === '') order.payment = { ...order.payment, sourcePan: transfer.senderMasked ?? '' }
  }

  /** Notes what the bank has reported of the one who has paid a payment. */
  const know = (order: Order, { senderName, senderBank, senderIndex }: IncomingTransfer): void => {
    const { payment } = order
    if (senderBank) order.paidBanks.push(senderBank)
    if (senderName) {
      order.paidNames.push(senderName)
      const key = `${payment.merchantId} ${payment.userId}`
      if (payment.userIdGiven) namesOfUsers.set(key, [senderName, ...(namesOfUsers.get(key) ?? [])].slice(0, 5))
    }
    const [ofPayment = '', ...ofUser] = payerKeys(payment)
    const keys = [ofPayment, ...(creditedStatuses.has(payment.status) ? ofUser : [])]
    if (senderIndex !== null) paidBefore.set(senderIndex, new Set([...(paidBefore.get(senderIndex) ?? []), ...keys]))
  }

  const decide = (order: Order, transfer: IncomingTransfer): void => {
    receive(order, transfer)
    know(order, transfer)
  }

  const claim = (order: Order): void => {
    if (order.payment.status !== 'new' || now >= order.payment.expiredAt) return
    const claimed = { to: 'processing', reason: 'claimed', trigger: 'payer-claimed', claimedAt: now } as const
    save(order, applyChange(order.payment, claimed, now))
  }

  const pay = (account: number, order: Order, money: Money): void => {
    const { amount, bookedAt } = money
    const all = ordersOn(account).filter(({ takenAt }) => takenAt <= now)
    for (const each of all) if (openStatuses.has(each.payment.status)) passTime(each)
    const reported = report(money)
    const known = reported.senderIndex ? paidBefore.get(reported.senderIndex) : undefined
    const transfer: IncomingTransfer = {
      ...{ currency: 'rub', amount, bookedAt, senderIndex: null },
      ...reported,
      ...(known ? { paidBefore: known } : {}),
    }
    const match = matchTransfer(transfer, all.filter(({ heldUntil }) => heldUntil > now - hour).map(candidateOf))
    counts.transfers++
    if ('candidate' in match) {
      counts.automatic++
      const to = all.find(({ payment }) => payment.id === match.candidate.payment.id) as Order
      if (to !== order) {
        const world = {
          meant: order.payment.orderId,
          got: to.payment.orderId,
          isAttack: to.isAttack,
          outcome: match.outcome,
        }
        counts.wrong.push(JSON.stringify({ ...world, reported, reasons: match.reasons }))
      }
      receive(to, transfer)
      if (match.outcome !== 'paid-again') know(to, transfer)
      return
    }
    counts.waiting++
    // An operator finds out whose money it is, within half an hour.
    agenda.add(now + 5 * minute + random(25 * minute), () => decide(order, transfer))
    const [reason = ''] = match.reasons
    const kind = reason.replaceAll(/order-[\d, order-]+|\d[\d.]*/g, '…')
    counts.reasons.set(kind, (counts.reasons.get(kind) ?? 0) + 1)
    if (match.suggestions.length > 1) {
      counts.suggested++
      if (match.suggestions[0]?.paymentId === order.payment.id) counts.firstRight++
    }
  }

  const drawFate = (): Fate => {
    let dice = random(1000)
    for (const fate of [
      'late',
      'twice',
      'halves',
      'rounds',
      'mistypes',
      'leaves',
      'cancels-and-pays',
      'lends',
    ] as const) {
      dice -= plan.habits[fate]
      if (dice < 0) return fate
    }
    return 'pays'
  }

  const scheduleMoney = (account: number, order: Order): void => {
    const { payment, payer } = order
    const fate = drawFate()
    const soon = (): number => now + minute + random(12 * minute)
    const text = chance(plan.reporting.texts)
      ? `Оплата ${oneOf(random, [payment.orderId, payment.orderId.replace('-', ' ')])}`
      : null
    const send = (at: number, amount: bigint, sender = payer): void =>
      agenda.add(at, () => {
        if (chance(plan.claims)) agenda.add(now + random(minute), () => claim(order))
        // The bank reports it within minutes.
        agenda.add(now + random(3 * minute), () => pay(account, order, { sender, amount, text, bookedAt: at }))
      })
    const { amount } = payment
    switch (fate) {
      case 'pays':
        send(soon(), amount)
        return
      case 'late':
        send(payment.expiredAt + payment.terms.graceMs + minute + random(50 * minute), amount)
        return
      case 'twice': {
        const at = soon()
        send(at, amount)
        send(at + minute + random(20 * minute), amount)
        return
      }
      case 'halves': {
        const at = soon()
        send(at, amount / 2n)
        send(at + minute + random(10 * minute), amount - amount / 2n)
        return
      }
      case 'rounds':
        send(soon(), (amount / 100_00n + 1n) * 100_00n)
        return
      case 'mistypes':
        send(soon(), amount + BigInt(1 + random(9)) * 10_00n)
        return
      case 'lends':
        send(soon(), amount, oneOf(random, people))
        return
      case 'cancels-and-pays': {
        const at = soon()
        agenda.add(at, () => {
          if (order.payment.status === 'new')
            save(
              order,
              applyChange(order.payment, { to: 'canceled', reason: 'canceled-by-payer', trigger: 'canceled' }, now),
            )
        })
        send(at + minute, amount)
        return
      }
      default:
    }
  }

  const drawAmount = (isAttack: boolean): bigint => {
    const open = accounts[random(plan.accounts)]?.findLast(({ heldUntil }) => heldUntil > now)
    if (isAttack && open)
      return oneOf(random, [
        open.payment.amount,
        (open.payment.amount / 100n) * 100n || 100n,
        open.payment.amount + 50_00n,
      ])
    return chance(plan.randomAmounts) ? BigInt(100_00 + random(20_000_00)) : oneOf(random, plan.prices)
  }

  const create = (index: number): void => {
    const isAttack = permille(plan.habits.attackers)
    const payer = oneOf(random, people)
    const amount = drawAmount(isAttack)
    const type: PaymentType = chance(plan.staged) ? 'staged' : 'direct'
    const free = findFree(amount)
    const account = free?.account ?? (type === 'staged' ? findShared(amount) : undefined)
    if (account === undefined) {
      counts.refused++
      return
    }
    counts.created++
    if (!free) counts.shared++
    const made = buildPayment(
      {
        ...{ id: `payment-${index}`, orderId: `order-${index}`, amount, type, createdAt: now },
        ...{ merchantId: `merchant-${index % 3}`, userId: payer.id, userIdGiven: !isAttack && chance(60) },
        sharesSlot: !free,
      },
      { lateWindowMs: hour },
    )
    const victim = isAttack ? ordersOn(account).findLast((order) => !order.isAttack)?.payer : undefined
    const typist = victim && chance(70) ? victim : payer
    const isWrongNumber = permille(plan.habits.wrongNumbers)
    const phone = isWrongNumber ? oneOf(random, people).phone : typist.phone
    const typed = type === 'staged' ? phone : null
    const asksName = type === 'staged' && (!free || free.others === 0)
    // Nobody but the victim knows under which name the bank shows it, as a rule.
    const named = isAttack && chance(50) ? payer : typist
    const isWrongName = permille(plan.habits.wrongNames)
    const order: Order = {
      payment: {
        ...made,
        sourcePan: typed === null ? '' : maskSource(typed),
        payerBank: asksName ? (permille(plan.habits.wrongBanks) ? oneOf(random, banks) : typist.bank) : null,
      },
      ...{ payer, isAttack, typed, takenAt: now, heldUntil: lateUntil(made), paidNames: [], paidBanks: [] },
      typedName: asksName ? nameOf(random, isWrongName ? oneOf(random, people) : named) : null,
    }
    ordersOn(account).push(order)
    if (!isAttack) scheduleMoney(account, order)
  }

  let at = begin
  for (let index = 0; index < plan.payments; index++) {
    at += random(2 * plan.everyMs)
    const number = index
    agenda.add(at, () => create(number))
  }
  for (let event = agenda.next(); event; event = agenda.next()) {
    now = event.at
    event.run()
  }
  return counts
}
