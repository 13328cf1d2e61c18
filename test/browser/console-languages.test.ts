// The console in Russian: chosen by a member, kept by the account, and without English on any page.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  goTo,
  lookAtAll,
  type Member,
  openConsole,
} from '../support/console-page.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

/** What is the same in Russian: names of things, abbreviations, keys, and the data of this test. */
const same = [
  ...['Payin', 'Node\\.js', 'Telegram', 'Enter', 'j k', 'SIM', 'TRON', 'Ethereum', 'PNG', 'JPEG', 'WebP', 'HEIC'],
  ...[
    'API',
    'CSV',
    'JSON',
    'IBAN',
    'MB',
    'QR',
    'UTC',
    'GMT',
    'USDT',
    'RUB',
    'rub',
    'XLSX',
    'OFX',
    'QFX',
    'MT\\d+',
    'camt',
  ],
  ...['1CClientBankExchange', 'userId', 'suspense', 'payin [a-z- ]+', 'operator:\\w+', 'member:\\w*', 'merchant\\.'],
  ...['[a-z-]+:(read|write|simulate)', '(payment|settlement|endpoint)\\.[a-z-]+', 'https?://\\S+', '\\S+@\\S+'],
  ...[
    '[\\da-f]{8}-[\\da-f-]{27}',
    'order-\\d',
    'reader-\\d',
    'maria',
    'olga',
    'anna',
    'boris',
    'vera',
    'operator',
    'test',
  ],
  ...[
    'bank-[ab]',
    'Bank [AB]',
    'Ivan P\\w*\\.?',
    'W-1',
    'Main wallet',
    'T[\\w]{33}',
    '\\(USDT on TRON\\)',
    '2001:db8::/32',
    'sbp bank',
    'English',
    '\\w+\\.sql',
    'Open',
    'node',
    'PostgreSQL',
    '\\(Debian [^)]*\\)',
  ],
]

const englishOn = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const texts = new Set()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest('code, kbd, pre, style, script, noscript, .setting-list, [aria-label^=Версии] .plain-rows, [lang=en]'))
        texts.add(walker.currentNode.data)
    for (const name of ['aria-label', 'title', 'placeholder'])
      for (const each of document.querySelectorAll('[' + name + ']:not([aria-hidden=true])')) texts.add(each.getAttribute(name))
    return [...texts].filter((text) => /[A-Za-z]{2}/.test(text.replaceAll(/${same.join('|').replaceAll('/', '\\/')}/g, '')))
  })()`)

describe('the console in Russian', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let owner: Member

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
    owner = await addMember(service, 'maria', 'owner')
    shop = await openShop(service, { name: 'Книжная лавка' })
    await openShop(service, { name: 'Площадка', mode: 'sandbox', perMethod: 0 })
    // A name that is also a text of the console.
    await openShop(service, { name: 'Open', perMethod: 0 })
    await shop.create('order-1', { amount: 5000.37, userId: 'reader-1' })
    const { body } = await shop.create('order-2', { amount: 4900 })
    const bookedAt = new Date(service.clock.now).toISOString()
    for (const amount of [4900, 3000]) {
      const transfer = { requisiteId: body.card.id, amount, currency: 'rub', sender: '+79991234567', bookedAt }
      await openOperator(service).call('POST', '/transfers', { transfers: [transfer] })
    }
    const { merchantId } = shop
    const destinationId = await openDestination(service, merchantId)
    const settlement = { merchantId, reference: 'W-1', amount: 1, destinationId }
    await openOperator(service).call('POST', '/settlements', settlement)
    await service.runJobs()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('is for those whose browser asks for it, before they sign in', async () => {
    const russian = await openPage(browser, { locale: 'ru-RU' })
    await russian.page.goto(`${service.context.settings.publicUrl}/console/`)
    await russian.page.getByRole('button', { name: 'Войти', exact: true }).waitFor()
    assert.equal(await russian.page.locator('html').getAttribute('lang'), 'ru')
    assert.deepEqual(await englishOn(russian.page), [])
    await russian.page.getByLabel('Электронная почта').fill('maria@example.com')
    await russian.page.getByLabel('Пароль', { exact: true }).fill('not the password')
    await russian.page.getByRole('button', { name: 'Войти', exact: true }).click()
    await russian.page.getByText('Неверная почта или пароль').waitFor()
    assert.deepEqual(russian.faults, [])
    await russian.close()
    // Nobody else loads its file.
    const loaded: string[] = []
    const { page, close } = await openPage(browser, { locale: 'de-DE' })
    page.on('request', (request) => loaded.push(request.url()))
    await page.goto(`${service.context.settings.publicUrl}/console/`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    assert.deepEqual(
      loaded.filter((url) => /\/(ru|catalogue)-/.test(url)),
      [],
    )
    await close()
  })

  test('is chosen once by a member, and then shown in every browser', async () => {
    const first = await openConsole(service, browser, owner, '/account')
    await first.page.getByLabel('Language').first().click()
    await first.page.getByRole('option', { name: 'Русский' }).click()
    await first.page.getByRole('heading', { name: 'Ваша учётная запись' }).waitFor()
    assert.deepEqual(first.faults, [])
    await first.close()
    const { page, faults, close } = await openConsole(service, browser, owner, '/payments')
    await page.getByRole('heading', { name: 'Платежи' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'order-1' })
    await row.getByText('5\u202f000,37').waitFor()
    await row.getByText('новый').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  const pages = (merchant: string) =>
    [
      ['/', 'Как далеко доходят платежи'],
      ['/payments', 'order-2'],
      ['/matching', 'Отложенные'],
      ['/statements', 'Выписок пока нет'],
      ['/sources', 'Источников пока нет'],
      ['/phones', 'Телефонов пока нет'],
      ['/reconciliation', 'Банк ещё не закрыл ни одного дня'],
      ['/outgoing', 'Списаний не было'],
      ['/ledger', /^\d+ сч[её]т/],
      ['/ledger/trial-balance', 'Дебет и кредит сходятся'],
      ['/settlements', 'W-1'],
      ['/disputes', 'Споров нет'],
      ['/overpayments', 'Переплаты'],
      ['/reversals', 'Возвраты разобраны'],
      ['/claims', 'Заявлений нет'],
      ['/risk', 'Отказов не было'],
      ['/risk/rules', 'Лимитов для плательщиков нет'],
      ['/requisites', 'bank-a'],
      ['/merchants', 'Книжная лавка'],
      [merchant, 'Долг перед мерчантом'],
      [`${merchant}?tab=terms`, 'Время на оплату'],
      [`${merchant}?tab=destinations`, 'USDT в сети TRON'],
      [`${merchant}?tab=tokens`, 'Создать токен'],
      [`${merchant}?tab=branding`, 'Цвет кнопок'],
      ['/rates', 'Лимиты суммы платежа'],
      ['/alerts', 'Оповещения'],
      ['/alerts/rules', 'срок спора'],
      ['/health', 'Очереди'],
      ['/team', 'maria@example.com'],
      ['/account', 'Где вы вошли'],
    ] as const

  test('leaves no English on its pages', async () => {
    const all = pages(`/merchants/${shop.merchantId}`)
    const { page, faults, close } = await openConsole(service, browser, owner, all[0][0])
    const english: string[] = []
    for (const [path, text] of all) {
      if (path !== '/') await goTo(page, path)
      await page.getByText(text).first().waitFor()
      for (const each of await englishOn(page)) english.push(`${path}: ${each}`)
    }
    assert.deepEqual(english, [])
    await goTo(page, '/merchants')
    await page.getByText('Open', { exact: true }).waitFor()
    await goTo(page, '/payments')
    await page.getByText('order-2').click()
    await page.getByText('Что происходило').waitFor()
    assert.deepEqual(await englishOn(page), [], 'a payment')
    assert.deepEqual(faults, [])
    await close()
  })

  test('names the fields of what was done as it names those of lists', async () => {
    const { page, faults, close } = await openConsole(service, browser, owner, '/audit')
    const row = page.getByRole('row').filter({ hasText: 'settlement.create' })
    await row.getByText(/Референс: W-1; Сумма: 1\.000000; .*Создано: да/).waitFor()
    await page.getByText('Переводы · 1 · Результат: exact').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('is accessible and fits on a phone and a desktop, in both themes', async () => {
    const [first, ...others] = pages(`/merchants/${shop.merchantId}`)
    const looked = new Set([
      '/payments',
      '/matching',
      '/ledger',
      '/requisites',
      '/settlements',
      '/rates',
      '/health',
      '/account',
    ])
    const [, ...shown] = [first, ...others.filter(([path]) => looked.has(path))]
    await lookAtAll(service, browser, owner, [first, ...shown])
  })

  test('is chosen by members of a merchant in the line above all pages', async () => {
    const member = await addMember(service, 'olga', 'merchant', { merchantId: shop.merchantId, grant: 'write' })
    const { page, faults, close } = await openConsole(service, browser, member, '/portal')
    await page.getByRole('button', { name: 'olga, merchant' }).click()
    await page.getByRole('menuitem', { name: 'Русский' }).click()
    await page.getByText('Последние платежи').waitFor()
    for (const [path, text] of [
      ['/portal', 'Последние платежи'],
      ['/portal/payments', 'order-1'],
      ['/portal/links', 'Платёжных ссылок пока нет'],
      ['/portal/notifications', 'Ваш магазин ещё не получает уведомлений'],
      ['/portal/balance', 'Доступно'],
      ['/portal/settlements', 'W-1'],
    ] as const) {
      if (path !== '/portal') await goTo(page, path)
      await page.getByText(text).first().waitFor()
      assert.deepEqual(await englishOn(page), [], path)
    }
    assert.deepEqual(faults, [])
    await close()
  })
})
