import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import type { MerchantMode } from '../../src/rules/merchants/merchant.ts'
import { addRequisites, type NewRequisite } from '../../src/engine/requisites/add-requisites.ts'
import { setBankGuide, setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { updateRecipient, updateRequisite } from '../../src/engine/requisites/update-requisite.ts'
import { lockPayment } from '../../src/engine/payments/lock-payment.ts'
import { startChanges } from '../../src/engine/payments/start-changes.ts'
import { failUnshownPayments } from '../../src/engine/payments/close-payments.ts'
import { minute } from '../../src/rules/time.ts'
import type { TestService } from './service.ts'
import { newNumber, openShop, payIn, send, type Shop } from './shop.ts'

/** A page in one of its states; the path has no language. */
export type StatePage = { readonly name: string; readonly path: string; readonly orderId: string }

const banks = [
  ['bank-a', 'Сбербанк', 'RU', '044525225', '30101810400000000225'],
  ['bank-b', 'Т-Банк', 'RU', '044525974', '30101810145250000974'],
  ['bank-c', 'ВТБ', 'RU'],
  ['bank-d', 'Альфа-Банк', 'RU'],
  ['bank-e', 'Райффайзен Банк', 'RU'],
  ['bank-f', 'Газпромбанк', 'RU'],
  ['bank-g', 'Совкомбанк', 'RU'],
  ['bank-h', 'Россельхозбанк', 'RU'],
  ['bank-k', 'Kaspi Bank', 'KZ'],
  ['bank-u', 'Ipak Yuli Bank', 'UZ'],
] as const

const guide = {
  links: { sbp: 'https://bank.example/transfer?phone={number}&sum={amount}' },
  steps: {
    sbp: {
      ru: ['Откройте «Платежи» → «По номеру телефона».', 'Вставьте номер и сумму.', 'Подтвердите и вернитесь сюда.'],
      en: ['Open “Payments” → “By phone number”.', 'Paste the number and the amount.', 'Confirm and come back here.'],
    },
  },
}

/** Sends one of the page's forms like a browser without JavaScript. */
export const sendForm = (service: Pick<TestService, 'url'>, path: string, form: Record<string, string> | FormData) =>
  send(service, path, { method: 'POST', body: form instanceof FormData ? form : new URLSearchParams(form) })

// Each is the only one of its method and bank.
const completeRequisites = (merchantId: string, mode: MerchantMode): NewRequisite[] => {
  const usual = { merchantId, mode, currency: 'rub', limits: {} }
  const branch = { bic: '044500123', correspondentAccount: '30101810800000000123' }
  return [
    {
      ...{ ...usual, method: 'account-to-account', transferScope: null, bankIssuer: 'bank-d' },
      holder: 'ООО «Книжный двор»',
      number: withAccountKey(newNumber('account-to-account'), branch.bic),
      recipient: { inn: '1234567894', kpp: '770001001', ...branch },
    },
    {
      ...{ ...usual, method: 'by-phone', transferScope: 'international', bankIssuer: 'bank-u' },
      holder: 'Каримова Анна Тимуровна',
      number: `99890${newNumber('sbp').slice(-7)}`,
    },
  ]
}

/** Opens a shop with its own banks, guides and colour, for pictures in the documents. */
export const openBookshop = async (service: TestService, more: Parameters<typeof openShop>[1] = {}): Promise<Shop> => {
  const shop = await openShop(service, {
    name: 'Книжный двор',
    holder: 'Иван Петров',
    perMethod: 12,
    settings: { returnHosts: ['shop.example'] },
    ...more,
  })
  await service.context.transaction(async (tx) => {
    await setBankIssuers(
      tx,
      banks.map(([code, name, country, bic = null, correspondentAccount = null]) => ({
        ...{ code, name, country, bic, correspondentAccount, sbpMemberId: null },
      })),
    )
    await setBankGuide(tx, 'bank-a', guide)
    await addRequisites(tx, completeRequisites(shop.merchantId, more.mode ?? 'live'))
  })
  return shop
}

/** Adds more banks than the page shows at once, so that payers search them by name. */
export const addManyBanks = (service: TestService): Promise<void> =>
  service.context.transaction((tx) =>
    setBankIssuers(
      tx,
      Array.from({ length: 200 }, (_, index) => ({
        ...{ code: `more-${index}`, name: `Банк «Промышленное развитие ${index}»`, country: 'RU', sbpMemberId: null },
      })),
    ),
  )

/** Creates a payment and returns the path of its page, without a language. */
export const createStatePage = async (
  shop: Shop,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<StatePage & { readonly requisiteId: string; readonly id: string }> => {
  const orderId = `order-${name}`
  const { status, body } = await shop.create(orderId, {
    amount: 5000.37,
    returnUrl: 'https://shop.example/orders/1',
    ...fields,
  })
  if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`)
  return { name, orderId, path: new URL(body.redirectUrl).pathname, requisiteId: body.card.id, id: body.payment.id }
}

const claimForm = (service: TestService): FormData => {
  const form = new FormData()
  form.set('amount', '5000,37')
  form.set('paidAt', new Date(service.clock.now + 170 * minute).toISOString().slice(0, 16))
  return form
}

/** Operators credit the money that is under review. */
export const acceptReview = (service: TestService, shop: Shop, id: string): Promise<void> =>
  service.context.transaction(async (tx) => {
    const payment = await lockPayment(tx, shop.merchantId, id)
    if (!payment) throw new Error('there is no such payment')
    const changes = startChanges(tx, 'operator:test')
    const finalAmount = payment.received
    changes.change(payment, { to: 'disput-paid', trigger: 'dispute-accepted', reason: 'accepted', finalAmount })
    await changes.write()
  })

/** Operators check a payer's claim, and find no money. */
const rejectClaim = (service: TestService, shop: Shop, id: string): Promise<void> =>
  service.context.transaction(async (tx) => {
    const payment = await lockPayment(tx, shop.merchantId, id)
    if (!payment) throw new Error('there is no such payment')
    const changes = startChanges(tx, 'operator:test')
    changes.change(payment, { to: 'disput', trigger: 'dispute-opened', reason: 'claim' })
    changes.change(payment, { to: 'expired', trigger: 'dispute-rejected', reason: 'rejected' })
    await changes.write()
  })

/** The pages of payment links, one in each state. */
const createLinkStates = async (shop: Shop, testing: Shop, service: TestService): Promise<StatePage[]> => {
  const create = async (
    of: Shop,
    name: string,
    fields: Record<string, unknown>,
  ): Promise<StatePage & { id: string }> => {
    const about = { title: 'Курс гончарного дела', description: 'Восемь вечеров в марте, глина и обжиг включены.' }
    const { body } = await of.post('/links', { ...about, currency: 'rub', ...fields })
    return { name, id: body.id, path: new URL(body.url).pathname, orderId: '' }
  }
  const fixed = await create(testing, 'link', { amount: 299_999.99 })
  const open = await create(shop, 'link-open', { title: 'A new roof for the library', uses: 'many' })
  const busy = await create(testing, 'link-busy', { amount: 7000, method: 'sbp' })
  await sendForm(service, busy.path, { visit: 'v'.repeat(22) })
  const closed = await create(shop, 'link-closed', { amount: 7000 })
  await shop.post(`/links/${closed.id}/close`, {})
  return [fixed, open, busy, closed]
}

/** A payment of a shop with one account: the next payer of its amount would have to share it. */
const createNamed = async (service: TestService, name: string): Promise<StatePage> =>
  createStatePage(await openBookshop(service, { perMethod: 1 }), name, { type: 'staged' })

/** Creates payments and links in every state of their pages; moves the clock by half an hour. */
export const createEveryState = async (service: TestService): Promise<StatePage[]> => {
  const shop = await openBookshop(service)
  const strict = await openBookshop(service, { terms: { mismatchPolicy: 'review' } })
  const testing = await openBookshop(service, {
    mode: 'sandbox',
    settings: { returnHosts: ['shop.example'], accent: '#ffcc00' },
  })
  const expired = await createStatePage(shop, 'expired')
  const claimed = await createStatePage(shop, 'claimed')
  const rejected = await createStatePage(shop, 'claim-rejected')
  const unseen = await createStatePage(shop, 'expired-unseen', { type: 'staged' })
  const partOver = await createStatePage(shop, 'part-over')
  await payIn(service, { requisiteId: partOver.requisiteId, minor: 200_000n, reference: 'part-over' })
  service.clock.advance(31 * minute)
  await service.runJobs()
  for (const { path } of [claimed, rejected]) await sendForm(service, `${path}/paid`, claimForm(service))
  await rejectClaim(service, shop, rejected.id)

  const details = await createStatePage(shop, 'details', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
  const abroad = await createStatePage(shop, 'details-abroad', {
    ...{ type: 'staged', method: 'by-phone', transferScope: 'international' },
  })
  const named = await createNamed(service, 'details-named')
  const coded = await createNamed(service, 'pay-named')
  const payer = { phone: '+79123456789', name: 'Иван Иванович П.', bank: 'bank-a' }
  await sendForm(service, `${coded.path}/details`, payer)
  const pay = await createStatePage(shop, 'pay', { bankIssuer: 'bank-a' })
  const account = await createStatePage(shop, 'pay-account', { method: 'account-to-account', bankIssuer: 'bank-d' })
  const phone = await createStatePage(shop, 'pay-abroad', {
    ...{ method: 'by-phone', transferScope: 'international', bankIssuer: 'bank-u' },
  })
  const card = await createStatePage(shop, 'pay-card', { method: 'card-to-card', sbpEnabled: true, amount: 299_999.99 })
  const sandbox = await createStatePage(testing, 'sandbox')
  const checking = await createStatePage(shop, 'checking')
  await sendForm(service, `${checking.path}/claim`, {})
  const part = await createStatePage(shop, 'part')
  await payIn(service, { requisiteId: part.requisiteId, minor: 200_000n, reference: 'part' })
  const paid = await createStatePage(shop, 'paid')
  await payIn(service, { requisiteId: paid.requisiteId, minor: 500_037n, reference: 'paid', sender: '+79123456789' })
  const credited = await createStatePage(shop, 'credited')
  await payIn(service, { requisiteId: credited.requisiteId, minor: 550_000n, reference: 'credited' })
  const review = await createStatePage(strict, 'review')
  await payIn(service, { requisiteId: review.requisiteId, minor: 550_000n, reference: 'review' })
  const decided = await createStatePage(strict, 'credited-staff')
  await payIn(service, { requisiteId: decided.requisiteId, minor: 550_000n, reference: 'decided' })
  await acceptReview(service, strict, decided.id)
  const canceled = await createStatePage(shop, 'canceled')
  await shop.post('/payments/byOrderId/cancel', { orderId: canceled.orderId })
  const failed = await createStatePage(strict, 'failed', { type: 'staged', method: 'card-to-card' })
  await service.context.transaction(async (tx) => {
    await updateRequisite(tx, failed.requisiteId, { status: 'retired' })
    await failUnshownPayments(tx, failed.requisiteId)
  })
  // By its own account and in another amount: the link is that of the account.
  const sbp = await createStatePage(shop, 'pay-sbp', { amount: 4321, bankIssuer: 'bank-a' })
  const sbpLink = `https://qr.nspk.ru/AS${'1'.repeat(30)}?type=01&bank=100000000111&crc=F3D0`
  await service.context.transaction((tx) => updateRecipient(tx, sbp.requisiteId, { sbpLink }))
  const receipt = { name: 'receipt', path: `${paid.path}/receipt`, orderId: paid.orderId }
  const unknown = { name: 'unknown', path: '/nothing/payment-sbp', orderId: '' }
  return [
    ...(await createLinkStates(shop, testing, service)),
    ...[
      details,
      abroad,
      named,
      coded,
      pay,
      account,
      phone,
      card,
      sbp,
      sandbox,
      checking,
      part,
      paid,
      credited,
      decided,
    ],
    ...[rejected, expired, unseen, partOver, claimed, review, canceled, failed, receipt, unknown],
  ]
}
