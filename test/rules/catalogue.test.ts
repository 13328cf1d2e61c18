// Texts of a language, also those whose gaps were filled elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Catalogue } from '../../src/rules/values/catalogue.ts'

const russian = new Catalogue('ru', {
  paid: 'оплачен',
  'approved/paid: paid': 'оплачена',
  '{0} is now {1}.': '{0}: {1}.',
  '{0} is now {1}. Confirm it.': '{0}: {1}. Подтвердите.',
  'Imported: {0} rows': 'Загружено: {0} {0|строка|строки|строк}',
  'Imported: {0}': 'Загружен файл {0}',
  'There are {0} of {1}: {2}': 'Из {1} есть {0}: {2}',
  '{0} …': '… {0}',
  'It lacks {0} and {1}.': 'Нет {0!} и {1}.',
  'There is no "{0}", or it is {1}': 'Нет «{0}», или {1}',
})

test('a filled text is recognised by its English one, the most particular first', () => {
  assert.equal(russian.sayFilled('Imported: 1 rows'), 'Загружено: 1 строка')
  assert.equal(russian.sayFilled('Imported: 25 rows'), 'Загружено: 25 строк')
  assert.equal(russian.sayFilled('Imported: may.csv'), 'Загружен файл may.csv')
  assert.equal(russian.sayFilled('order-1 is now paid.'), 'order-1: оплачен.')
  assert.equal(russian.sayFilled('order-1 is now paid. Confirm it.'), 'order-1: оплачен. Подтвердите.')
  assert.equal(russian.sayFilled('There are 2 of 3 of 4: paid'), 'Из 3 of 4 есть 2: оплачен')
})

test('a name in a gap, and a text that is not known or has little but gaps, stay as they are', () => {
  for (const text of ['constructor', 'Anybody', 'Imported:', 'more …', 'There are 2: paid'])
    assert.equal(russian.sayFilled(text), text)
  assert.equal(russian.sayFilled('There is no "paid", or it is paid'), 'Нет «paid», или оплачен')
  assert.equal(russian.sayFilled('It lacks paid and paid.'), 'Нет paid и оплачен.')
  assert.equal(russian.sayFilled('Paid is now Anybody.'), 'Paid: Anybody.')
})

test('what anybody may have written is only said if several words of it are known', () => {
  assert.equal(russian.sayWritten('Imported: may.csv'), 'Загружен файл may.csv')
  assert.equal(russian.sayWritten('paid'), 'оплачен')
  for (const text of ['order-1 is now paid.', 'Books are now here.']) assert.equal(russian.sayWritten(text), text)
})

test('a word may be said in another way among the words of a list', () => {
  assert.equal(russian.sayWord('paid'), 'оплачен')
  assert.equal(russian.sayWord('paid', ['approved', 'paid']), 'оплачена')
  assert.equal(russian.sayWord('toString', ['approved', 'toString']), 'toString')
})

test('the end of a text is no gap, and gaps do not overlap what is written', () => {
  const other = new Catalogue('ru', { 'from {0} until {0}': '{0}', 'a day {0} a day': '{0}' })
  assert.equal(other.sayFilled('a day a day'), 'a day a day')
  assert.equal(other.sayFilled('a day or a day'), 'or')
})

test('a long text that nearly fits takes time in proportion to its length', () => {
  const many = new Catalogue('ru', { 'begin{0}, {1}, {2}, {3}, {4}, {5}, {6} end': '{0}' })
  const { user } = process.cpuUsage()
  assert.equal(many.sayFilled(`begin${', '.repeat(100_000)}`).length, 200_005)
  assert.ok(process.cpuUsage().user - user < 500_000)
})
