import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareNames, indexNames } from '../../src/rules/values/payer-name.ts'

const rows: readonly (readonly [one: string, other: string, agreement: string])[] = [
  ['Иванов Иван Иванович', 'ИВАНОВ  ИВАН ИВАНОВИЧ', 'same'],
  ['Иванов Иван Иванович', 'Ivanov Ivan Ivanovich', 'same'],
  ['Иванов Иван', 'Ivan Ivanov', 'same'],
  ['Иванов Иван Иванович', 'IVANOV I.', 'alike'],
  ['Иванов Иван Иванович', 'Иван И.', 'alike'],
  ['Иванов Иван Иванович', 'Иван Иванович И.', 'alike'],
  ['Иванов И.И.', 'IVANOV IVAN', 'alike'],
  ['Иванов Иван Иванович', 'Ivan Ivanov', 'alike'],
  ['Щукина Юлия', 'Shchukina Yulia', 'same'],
  ['Щукина Юлия', 'SCHUKINA IULIIA', 'same'],
  ['Аксёнов Алексей', 'AKSENOV ALEKSEY', 'same'],
  ['Аксёнов Алексей', 'Axyonov Aleksei', 'same'],
  ['Хохлов Жан', 'KHOKHLOV ZHAN', 'same'],
  ['Емельянов Пётр', "Yemel'yanov Pyotr", 'same'],
  ['Қасымов Нұрлан', 'Kasymov Nurlan', 'same'],
  ['Gʻulomov Oʻtkir', "G'ulomov O'tkir", 'same'],
  ['Müller Hans', 'MULLER HANS', 'same'],
  ['ИП Петрова Анна', 'Петрова Анна', 'same'],
  ['Иванов Иван', 'Иванов Пётр', 'different'],
  ['Иванов Иван Иванович', 'Иванов Иван Петрович', 'different'],
  ['Иванов И.', 'Петров И.', 'different'],
  ['И. И.', 'Иванов Иван', 'different'],
  ['Иванов', 'Иванов', 'different'],
  ['', 'Иванов Иван', 'different'],
]

for (const [one, other, agreement] of rows) {
  test(`${one} and ${other}: ${agreement}`, () => {
    assert.equal(compareNames(one, other), agreement)
    assert.equal(compareNames(other, one), agreement)
  })
}

test('an index of names finds just those that are not different', () => {
  const names = [...new Set(rows.flatMap(([one, other]) => [one, other]))]
  const find = indexNames(names.map((name) => [name, name] as const))
  for (const name of names) {
    const expected = names.filter((other) => compareNames(name, other) !== 'different')
    assert.deepEqual([...find(name)].toSorted(), expected.toSorted(), name)
  }
})
