// The command line in other languages than English: its catalogues, and what people and scripts get.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { printDetails, printPairs } from '../src/cli/print-table.ts'
import { say, sayWritten, useLanguageOf } from '../src/cli/say.ts'
import { cliTexts } from './support/cli-texts.ts'
import { assertSameForm, missingFrom } from './support/console-texts.ts'
import { payinOf, type PayinRun, runPayin } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, payIn } from './support/shop.ts'

const root = resolve(import.meta.dirname, '..')

const readCatalogue = (folder: string, code: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(resolve(root, folder, 'languages', `${code}.json`), 'utf8')) as never

for (const path of globSync(resolve(root, 'src/cli/languages/*.json'))) {
  const code = basename(path, '.json')
  describe(`the language ${code}`, () => {
    const own = readCatalogue('src/cli', code)
    const ofConsole = readCatalogue('console', code)

    test('has every text of the command line once, here or in the catalogue of the console, and no others', async () => {
      const known = new Set(Object.keys({ ...ofConsole, ...own }))
      const { missing, used } = missingFrom(known, await cliTexts())
      assert.deepEqual(missing, [], 'texts without a translation')
      assert.deepEqual(
        Object.entries(own).filter(([text, said]) => said === ofConsole[text] || !used.has(text)),
        [],
        'translations of texts that are gone, or that the console has alike',
      )
    })

    test('has the same gaps and the same spaces at the ends as the English texts', () => assertSameForm(own))
  })
}

test('help neither says that a switch is off by default nor names an operation of the API', async () => {
  const { missing } = missingFrom(new Set(), await cliTexts())
  assert.deepEqual(
    missing.filter((text) => /default: false$|\bas add[A-Z]|minor units/.test(text)),
    [],
  )
})

const opened = shareService()
// The next test, also of another file of this process, reads English.
afterEach(() => useLanguageOf({}))

const inRussian = { LANG: 'ru_RU.UTF-8' }
const payin = (
  words: readonly string[],
  environment: Readonly<Record<string, string>> = inRussian,
): Promise<PayinRun> => payinOf(opened())(words, { environment, columns: 80 })

const assertSays = async (words: readonly string[], says: RegExp, code = 0): Promise<void> => {
  const ended = await payin(words)
  assert.equal(ended.code, code, ended.error)
  assert.match(ended.out + ended.error, says)
  assert.doesNotMatch(ended.out + ended.error, /undefined|\{\d|\[object/)
}

test('a list has its headings and words in Russian; columns are named as in English', async () => {
  const shop = await openShop(opened(), { name: 'Other' })
  await shop.create('order-ru', { amount: 1500 })
  await payIn(opened(), { requisiteId: shop.requisiteIds[0] ?? '', minor: 1500_00n })
  await assertSays(['payments', 'list'], /^ЗАКАЗ +СТАТУС [^]*\norder-ru +новый +/)
  await assertSays(['payments', 'list'], /\n\nНе показано: [a-z, -]+\. Показать всё: --wide; /)
  await assertSays(['payments', 'list', '--columns', 'merchant,status'], /^МЕРЧАНТ +СТАТУС\nOther +новый\n$/)
  await assertSays(['merchants', 'show', 'Other'], /\nИмя +Other\n/)
})

test('an empty list, a page end, a span and the state of the service are said', async () => {
  await assertSays(['disputes', 'list'], /^Таких споров нет\. Открыть спор [^]*: payin disputes open <payment>\n$/)
  await assertSays(['payments', 'list', '--count'], /\n\nВсего 1\.\n$/)
  await assertSays(['merchants', 'show', 'Other'], / 30 мин( |\n)/)
  await assertSays(
    ['today'],
    /^ОЖИДАЮТ +КОМАНДА +ДЕНЬГИ [^]*\nневыясненные переводы: 1 +payin transfers list --unmatched /,
  )
  await assertSays(['doctor'], /^Исправно: выполняются все инварианты, их \d+\.\n$/)
})

test('the audit names the fields of what was done like the columns of lists; names that people chose stay', async () => {
  const { requisiteIds } = await openShop(opened(), { name: 'Audited' })
  await assertSays(['requisites', 'limit', requisiteIds[0] ?? '', '--min-amount', '150'], /./)
  await assertSays(['audit', '--limit', '1', '--wide'], /наименьшая сумма 150/)
  await useLanguageOf(inRussian)
  assert.equal(
    printDetails({ reason: 'x', settings: { returnHosts: [] } }),
    'причина x; настройки (хосты возврата нет)',
  )
  assert.equal(printPairs({ reason: 'x', cartId: 'b' }), 'reason x; cart id b')
})

test('a sentence is recognised although its gaps are filled', async () => {
  await assertSays(['merchants', 'suspend', 'Other'], /^Other: приостановлен\.\n$/)
  await assertSays(['merchants', 'activate', 'Other'], /^Other: работает\.\n$/)
  await assertSays(['rates', 'set', 'eur', '1.07'], /^Предложено: 1 USDT = 1\.07 eur\. Начнёт действовать, /)
})

test('what is put together from known texts is said part by part, and what anybody wrote stays', async () => {
  await useLanguageOf(inRussian)
  assert.equal(say('1 d 30 min'), '1 д 30 мин')
  assert.equal(say('amount proves, time contradicts (the clock)'), 'сумма доказывает, время противоречит (the clock)')
  const decided = '2 decided, 0 refused. 1 only proposed: another operator must confirm them.'
  assert.equal(say(decided), 'Решено: 2, отклонено: 0. 1 только предложено: их должен подтвердить другой оператор.')
  assert.equal(
    say('No. order-7 is disput-paid with this money: open a correction instead.'),
    'Нет. order-7: статус «оплачен по спору» с этими деньгами; вместо этого откройте исправление.',
  )
  assert.equal(sayWritten('it may be for 2 payments: a, b'), 'подходят 2 платежа: a, b')
  assert.equal(say('5.00 more than is missing'), 'на 5.00 больше, чем не хватает')
  assert.equal(say('1. Nothing was set. Nothing was set.'), '1. Ничего не задано. Ничего не задано.')
  assert.equal(say('2. Nothing was set. Books.'), '2. Nothing was set. Books.')
  for (const text of ['Books with pictures', 'order-7 is open.', 'Paid, open']) assert.equal(sayWritten(text), text)
})

test('errors of usage, refusals and their remedies are said; codes, names and exit codes stay', async () => {
  await assertSays(['payments', 'list', '--nothing'], /^ошибка: нет параметра «--nothing»\nВсе команды и /, 2)
  await assertSays(
    ['rates', 'set', 'rub', 'a'],
    /^ошибка: значение «a» аргумента «price» не подходит\. «a» — не сумма/,
    2,
  )
  await assertSays(
    ['payments', 'show', 'nobody'],
    /^payment_not_found: Не найдено \(платёж\): «nobody»\. Что есть, показывает payin payments list\.\n$/,
    1,
  )
  const { code, error } = await runPayin(['today'], { environment: { ...inRussian, PAYIN_URL: 'http://127.0.0.1:9' } })
  assert.equal(code, 2)
  assert.match(error, /^Нет токена \(оператор\)\. Где искали:\n/)
})

test('help is in Russian, with the names of commands and options as they are', async () => {
  await assertSays(['--help'], /^Вызов: payin \[параметры\] \[команда\]\n[^]*\nКоманды:\n {2}merchants +Компании/)
  const help = ['payments', 'list', '--help']
  await assertSays(help, /\n {2}--status <status> +только платежи с этим статусом \(варианты: "new",\n +"processing"/)
  await assertSays(['rates', 'set', '--help'], /\nАргументы:\n {2}currency +код валюты/)
})

test('the variables of the environment choose the language, the most particular first', async () => {
  const isRussian = async (environment: Readonly<Record<string, string>>): Promise<boolean> =>
    (await payin(['--help'], environment)).out.startsWith('Вызов')
  assert.ok(await isRussian({ PAYIN_LANGUAGE: 'ru', LC_ALL: 'C' }))
  assert.ok(await isRussian({ LC_MESSAGES: 'ru_RU', LANG: 'en_US.UTF-8' }))
  assert.ok(await isRussian({ LC_ALL: '', LANG: 'ru' }))
  for (const other of ['C', 'POSIX', 'C.UTF-8', 'xx_XX', 'en_GB.UTF-8', '../ru'])
    assert.equal(await isRussian({ LC_ALL: other, LANG: 'ru_RU.UTF-8' }), false, other)
  assert.equal(await isRussian({ PAYIN_LANGUAGE: 'en', LANG: 'ru_RU.UTF-8' }), false)
})

test('what scripts read is the same in every language', async () => {
  for (const words of [
    ['payments', 'list', '--json'],
    ['payments', 'list', '--csv'],
    ['payments', 'list', '--merchant', 'Other', '--json', '--limit', '0'],
    ['rates', 'set', 'rub', 'a', '--json'],
    ['completion', 'bash'],
  ]) {
    const said = await payin(words, {})
    const asIs = ({ out, error, ...rest }: PayinRun) => ({
      ...rest,
      out,
      error: error.replace(/"requestId":"[^"]+"/, ''),
    })
    assert.deepEqual(asIs(await payin(words)), asIs(said))
    assert.notEqual(said.out + said.error, '')
  }
})
