// Ways in which banks may word a credit, and messages that only look like one. All are made up.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Message, readMessage } from '../src/bank-messages.ts'

type Row = readonly [origin: string, title: string | null, text: string]

const credits: readonly (readonly [...Row, amount: string])[] = [
  ['900', null, 'СЧЁТ5082 11:59 Перевод по СБП из Т-Банк +2460р от Глеб Н. Баланс: 9 325.7р', '2460.00'],
  ['900', null, 'СЧЕТ5082 11:59 Перевод из Т-Банк +1 246,50р от ГЛЕБ Н. Баланс: 9 325.7р', '1246.50'],
  ['900', null, 'MIR1234 11:59 Перевод 2 460р от Анна-Мария Н. Баланс: 12 345р', '2460.00'],
  ['900', null, 'СЧЁТ5082 зачислен перевод по СБП 500р из ВТБ от ИВАН ИВАНОВИЧ И.', '500.00'],
  ['900', null, 'СЧЁТ5082 12:00 зачислен перевод по СБП 500р из ВТБ от ИВАН ИВАНОВИЧ И. Баланс: 700р', '500.00'],
  ['900', null, 'МИР-1234 10:00 зачисление зарплаты 50000р Баланс: 60000р', '50000.00'],
  ['900', null, 'МИР-1234 10:00 Зачисление аванса 50 000.50р Баланс: 60 000р', '50000.50'],
  ['900', null, 'СЧЁТ1234 12:00 Перевод от Иван И. +500р Баланс: 1000р', '500.00'],
  ['900', null, 'СЧЁТ1234 12:00 Перевод +500р от Иван И. Баланс: 1000р Сообщение: Баланс: 5р', '500.00'],
  ['900', null, 'VISA1234 12:00 Перевод 500р от Иван И. «спасибо» Баланс: 1000р', '500.00'],
  ['ru.sberbankmobile', null, 'Перевод от Иван И.\n+ 500 ₽ — Баланс: 1 000 ₽ Счёт карты МИР •• 1234', '500.00'],
  ['ru.sberbankmobile', 'Перевод от Иван И.', '+500 ₽ · Баланс: 1 000 ₽ · Счёт карты МИР •• 1234', '500.00'],
  [
    'ru.sberbankmobile',
    'Перевод по СБП от Иван Иванович И.',
    '+ 500,5 ₽ — Баланс: 1 000 ₽ МИР •• 1234 "за 5000 ₽"',
    '500.50',
  ],
  ['Tinkoff', null, 'Пополнение, счет RUB. 1 000 RUB. Иван И. Доступно 5 000 RUB', '1000.00'],
  ['Tinkoff', null, 'Пополнение. Счет RUB. 1000 ₽. Доступно 5000 ₽', '1000.00'],
  ['Tinkoff', null, 'Пополнение. Счет RUB. 1000 ₽. Иван И. Баланс 5000,5 ₽', '1000.00'],
  ['Tinkoff', null, 'Пополнение по СБП. Счет RUB. 1000 ₽. Иван И. Баланс 5000,5 ₽', '1000.00'],
  ['Tinkoff', null, 'Пополнение, карта *1234. 1000 RUB. Доступно 5000 RUB', '1000.00'],
  ['com.idamob.tinkoff.android', 'Т-Банк', 'Пополнение на 2 590 ₽, счет RUB. Нина В. Доступно 7 030,5 ₽', '2590.00'],
  ['com.idamob.tinkoff.android', 'Т-Банк', 'Пополнение через СБП на 2 590 ₽. Нина В. Доступно 7 030,5 ₽', '2590.00'],
  ['VTB', null, 'Поступление 500р Счет*1234 от ИВАН И. Баланс 1000р 12:34', '500.00'],
  ['VTB', null, 'Поступление 1 500.50 руб Счет *1234 от ИВАН И Баланс 10 000р 12:34', '1500.50'],
  ['VTB', null, 'Поступление 500р Карта*1234 VB24 Баланс 1000р 12:34', '500.00'],
  ['VTB', null, 'Поступление 500р Счет*1234 Баланс 1000р 12:34', '500.00'],
  [
    'ru.alfabank.mobile.android',
    'Уведомление',
    'Перевод на сумму 9 000,00 RUR из Т-Банк от Арсений Л. по СБП.',
    '9000.00',
  ],
  ['ru.alfabank.mobile.android', null, 'Альфа-Банк +500 ₽. Перевод от Ивана И. Баланс: 1 000 ₽; ··1234', '500.00'],
  ['ru.alfabank.mobile.android', '+500 ₽', 'Перевод от Ивана И. Остаток: 1 000 ₽; ••1234', '500.00'],
  [
    'ru.raiffeisennews',
    'Пришел перевод на счет *5528',
    '+ 920.00 ₽ и сообщение «за обед» от +79000000023, Марьяна К. через СБП. Теперь на счете 2 484.99 ₽',
    '920.00',
  ],
  [
    'ru.raiffeisennews',
    'Пришел перевод на счет *5528',
    '+ 1 920 ₽ от Марьяна К. через СБП. Теперь на счете 2 484.99 ₽',
    '1920.00',
  ],
  ['Gazprombank', null, '*7259 09:00 Получен перевод 1500р от Иван И. Доступно 2000р', '1500.00'],
  [
    'ru.ozon.fintech.finance',
    'Ozon Банк',
    'Пополнение через СБП на 2 350,50 ₽. Аким Эдуардович Р. Т-Банк. Баланс 4 200 ₽',
    '2350.50',
  ],
  ['ru.ozon.fintech.finance', 'Ozon Банк', 'Пополнение на 2 350 ₽. Баланс 4 200 ₽', '2350.00'],
  [
    'com.yandex.bank',
    'Входящий перевод',
    'Пополнение на 1 750.00 RUB. Анатолий Михайлович С. 05.12.2024 07:56. Доступно 2320.00 RUB',
    '1750.00',
  ],
  ['MTS-Bank', null, 'Поступление 6 000р. Велимир Денисович Д через СБП. Остаток: 7 000р', '6000.00'],
  ['RSHB', null, '21:32 перевод 12,570.50р на карту *5528 Баланс 22,652.90 TRANSFER, MOSCOW', '12570.50'],
  ['PSB', null, 'Kontrakt *4449: Zachislenie 45 600,00 RUR;2018-08-15.Dostupno 46 052.60 RUR.', '45600.00'],
  ['AKBARS', null, 'Карта*9906 пополнение на 7 038.00RUR. Перевод СБП. 27.02.25 08:09. Остаток 22509.83RUR', '7038.00'],
  ['BankSPB', null, '*0988 Зачислен перевод по СБП 23 375.50RUB 21:07 от Вольдемар Олегович Л', '23375.50'],
  ['UBRR', null, 'Зачисление СБП: 2 490.50 р от Данияр Алексеевич Л', '2490.50'],
  ['MKB', null, 'Карта*2797 Пополнение 26 770.00р Баланс 33 735.39р', '26770.00'],
  [
    'AKBARS',
    null,
    'Карта*9906 пополнение 7038.00RUR. T-Bank Card2Card. 27.02.25 08:09. Остаток 22509.83RUR',
    '7038.00',
  ],
  ['AKBARS', null, 'Карта *6693 пополнение на 2 630.00 RUR. 27.02.25 08:09. Остаток 22509.83 RUR', '2630.00'],
  [
    'AMERIABANK',
    null,
    'CREDIT ACCOUNT\n30,600.00 AMD\n4083***8649,\nTELCELL, AM\n26.09.25 11:25\nBALANCE: 42,030.20 AMD',
    '30600.00',
  ],
  [
    'AMERIABANK',
    null,
    'CREDIT ACCOUNT | 30,600 AMD | 4083***8649, TELCELL, AM | 26.09.25 11:25 | BALANCE: 42,030 AMD',
    '30600.00',
  ],
  [
    'Priorbank',
    null,
    'Priorbank. Karta 5***6335. 23-08-18 11:25:44. Zachislenie 900.00 BYN. BLR P2P. Dostupno:2523.87BYN Spravka: 90280000393',
    '900.00',
  ],
  ['TBC SMS', null, 'Charicxva: 1,559.00 GEL\nCurrent\n20/11/2026\nLEVAN BERIDZE', '1559.00'],
  [
    'Enpara',
    null,
    'Vadesiz TL hesabınıza 03/04/2026 tarihinde Kerem U tarafından yapılan para transferi (HAVALE) sonucunda 1.300,50 TL giriş oldu. İşlem sonrası hesap bakiyesi: 4.342,38 TL',
    '1300.50',
  ],
  [
    'Enpara',
    null,
    'Vadesiz TL hesabınıza 03/04/2026 tarihinde Kerem U tarafından yapılan para transferi (FAST) sonucunda 1.300 TL giriş oldu. İşlem sonrası hesap bakiyesi: 4.342 TL',
    '1300.00',
  ],
  [
    'HomeCredit',
    null,
    'Popolnenie: 39 000.00 RUR. Karta *4792. 03.06.2019 10:34:15. Dostupno: 40 000.00 RUR.',
    '39000.00',
  ],
  [
    'MInB',
    null,
    'Зачисление на счет 40817***483\nДата: 21/01 03:59\nСумма: 12 827.34RUB\nКомиссия: 0.00RUB\nДоступно: 22 689.45RUB',
    '12827.34',
  ],
  ['OTKRITIE', null, 'На карту *0999 зачислено 38 005 р. Доступно 38 005.6 р.', '38005.00'],
  [
    'SKB-SINARA',
    null,
    'Karta 5528 zachisleno 12 390,00 RUB Tinkoff Card2Card 02/11/2024. Dostupno 22 469,00 RUR',
    '12390.00',
  ],
  [
    'RNCB',
    null,
    'Schet *0494 Zachislen perevod SBP summa 12 020.00 RUR ot Makar Sergeevich B tel +79000000048 iz Tinkoff Bank 24-12-13 10:00:15 balans: 22420.00 RUR.',
    '12020.00',
  ],
  ['YandexMoney', null, 'Яндекс.Деньги. Кошелек *9470 пополнен на 13 347,9р\nДоступно: 17 862,82р', '13347.90'],
  ['1711', null, 'СБП Зачислено 14 000.50 р из Т-Банк, Бахтияр Рашидович У', '14000.50'],
  ['1711', null, 'СБП Зачислено 4000 р из Сбербанк, Бахтияр Рашидович У.', '4000.00'],
  ['DemirBank', null, '15/02/2023 Vy poluchili perevod 13 560.00 KGS. Tel +996000000054', '13560.00'],
  [
    'MDO MATIN',
    null,
    'Пополнения кошелька\nСервис: Сбербанк\nСумма RUB: 1200.00\nСумма TJS: 122.85\nДата: 2025.05.26 17:06:35',
    '122.85',
  ],
  [
    'BANK',
    null,
    'UPI/KM3072 16/05/2025 08:15\nПриход: 1 072.72 TJS\nCJSC "Spitamen Bank"; Dushanbe, SpitamenPay 3.0\nОстаток: 2 089,29 TJS',
    '1072.72',
  ],
  ['Alfa-Bank', null, '**5339; Postupleniye; Summa: 2 600,50 RUR; Ostatok: 22 709,22 RUR; 04.01.2018', '2600.50'],
  [
    'Raiffeisen',
    null,
    'Zachislen perevod 36 000.50 RUR na schet *6953. Balans 43706.62 RUR. Raiffeisenbank',
    '36000.50',
  ],
  ['MTS-Bank', null, 'Пополнение VP *5739; 17.08 21:05; 13 900,00 RUB; Остаток: 14 402,00 RUB', '13900.00'],
  ['Gazprombank', null, '*9058 +6 935.99р 11.06.18 14:10 Доступно 57 250.09р', '6935.99'],
]

const others: readonly Row[] = [
  ['900', null, 'VISA1234 12:00 Перевод 500р для Иван И. Баланс: 1000р'],
  ['900', null, 'VISA1234 12:00 Перевод 500р Иван И. Баланс: 1000р'],
  ['900', null, 'VISA1234 12:00 Возврат перевода 500р от Иван И. Баланс: 1000р'],
  ['900', null, 'VISA1234 12:00 Отмена зачисления 500р Баланс: 1000р'],
  ['900', null, 'VISA1234 12:00 Запрос на перевод 500р от Иван И.'],
  ['900', null, 'Иван И. просит Вас перевести 500р. Подробнее в Сбербанк Онлайн'],
  ['900', null, 'VISA1234 12:00 зачисление 500р отмена Баланс: 1000р'],
  ['ru.sberbankmobile', 'Возврат от МАГАЗИН', '+ 500 ₽ — Баланс: 1 000 ₽ МИР •• 1234'],
  ['ru.sberbankmobile', 'Отмена покупки', '+ 500 ₽ — Баланс: 1 000 ₽ МИР •• 1234'],
  ['ru.sberbankmobile', 'Запрос денег от Иван И.', '+ 500 ₽ — Баланс: 1 000 ₽ МИР •• 1234'],
  ['ru.sberbankmobile', 'Перевод Иван И.', '500 ₽ — Баланс: 1 000 ₽ МИР •• 1234'],
  ['ru.sberbankmobile', 'СберБанк', 'Перевод для Иван И. + 500 ₽ — Баланс: 1 000 ₽ МИР •• 1234'],
  ['Tinkoff', null, 'Отмена пополнения, счет RUB. 1000 RUB. Доступно 5000 RUB'],
  ['Tinkoff', null, 'Отказ в пополнении, счет RUB. 1000 RUB. Доступно 5000 RUB'],
  ['com.idamob.tinkoff.android', 'Т-Банк', 'Пополнение на 2 590 ₽, счет RUB. Отмена. Доступно 7 030,5 ₽'],
  ['com.idamob.tinkoff.android', 'Т-Банк', 'Пополните карту на 2 590 ₽ и получите кэшбэк. Доступно 5 ₽'],
  ['com.idamob.tinkoff.android', 'Т-Банк', 'Нина В. просит 2 590 ₽'],
  ['VTB', null, 'Возврат 500р Карта*1234 MAGAZIN Баланс 1000р 12:34'],
  ['VTB', null, 'Отмена 500р Карта*1234 MAGAZIN Баланс 1000р 12:34'],
  ['ru.alfabank.mobile.android', null, 'Альфа-Банк +500 ₽. Возврат покупки\nОстаток: 5 099,85 ₽; ••3659'],
  ['ru.alfabank.mobile.android', '+500 ₽', 'Отмена операции. Остаток: 1 000 ₽; ••1234'],
  ['Raiffeisen', null, 'Karta *5528. Zachisleno 2850.00 RUB. VOZVRAT. Balans 8800.00 RUB. 09.10.2022'],
  ['Gazprombank', null, '*9058 +115р Отмена taximaxim.ru 11.06.18 14:10 Доступно 57250.09р'],
  ['Gazprombank', null, '*9058 Возврат 115р taximaxim.ru 11.06.18 14:10 Доступно 57250.09р'],
  ['ru.ozon.fintech.finance', 'Ozon Банк', 'Возврат на 2 350 ₽. Ozon. Баланс 4 200 ₽'],
  ['RSHB', null, 'РСХБ 23/08 10:42:54 счет *5768 пополнение 5,279.95 RUR отклон. Доступно 5,453.30'],
  ['MKB', null, 'Карта*2797 Отмена пополнения 26770.00р Баланс 33735.39р'],
  ['ROSBANK', null, 'Schet A*992: Popolnenie otmeneno 9093.00 RUB; Dostupno: 20053.29 RUB; 15/08/18'],
  [
    'AMERIABANK',
    null,
    'CREDIT ACCOUNT REVERSAL | 30,600 AMD | 4083***8649, TELCELL, AM | 26.09.25 11:25 | BALANCE: 42,030 AMD',
  ],
  [
    'Priorbank',
    null,
    'Priorbank. Karta 5***6335. 23-08-18 11:25:44. Otmena. Zachislenie 900.00 BYN. BLR P2P. Dostupno:2523.87BYN',
  ],
  ['UniCredit', null, 'Карта 2249 03.08.2018 10:04 Баланс карты уменьшен на 4209.54 RUB. Доступно: 27598.68 RUR'],
  [
    'UniCredit',
    null,
    'Карта 2249 03.08.2018 10:04 Возврат покупки. Баланс карты увеличен на 4209.54 RUB. Доступно: 27598.68 RUR',
  ],
  [
    'RNCB',
    null,
    'Schet *0494 Otklonen perevod SBP summa 2020.00 RUR ot Makar Sergeevich B tel +79000000048 iz Tinkoff Bank 24-12-13 10:00:15 balans: 2420.00 RUR. Operatsiya otklonena',
  ],
  [
    'BANK',
    null,
    'UPI/KM3072 16/05/2025 08:15\nРасход: 72.72 TJS\nCJSC "Spitamen Bank"; Dushanbe, SpitamenPay 3.0\nОстаток: 89,29 TJS',
  ],
  ['Alfa-Bank', null, '**5339; Postupleniye otmeneno; Summa: 2600 RUR; Ostatok: 2709,22 RUR; 04.01.2018'],
  [
    'ROSBANK',
    null,
    'Счет *5528. Перевод СБП из Тинькофф Банк от Карина Анатольевна Т. неуспешный. Зачислено 2350 р. Баланс 3075.24 р.',
  ],
  ['Raiffeisen', null, 'Ne zachislen perevod 36000 RUR na schet *6953. Balans 43706.62 RUR. Raiffeisenbank'],
  ['MTS-Bank', null, 'Отмена пополнения VP *5739; 17.08 21:05; 3 900,00 RUB; Остаток: 4 402,00 RUB'],
  [
    'Bank_DOM.RF',
    null,
    'Пополнение +20 220.00 RUB на счет **9688 по СБП от ДАВЫД АЛЕКСАНДРОВИЧ Ш. отклонено. Доступно 22 723.00 RUB',
  ],
]

const from = (origin: string, title: string | null, text: string): Message =>
  /^(?:ru|com)\./.test(origin)
    ? { channel: 'push', package: origin, title, text }
    : { channel: 'sms', sender: origin, title, text }

describe('credits', () => {
  for (const [origin, title, text, amount] of credits)
    test(`${title ?? ''} ${text}`, () => {
      const reading = readMessage(from(origin, title, text))
      assert.deepEqual([reading.kind, reading.amount], ['credit', amount])
    })
})

describe('what only looks like a credit', () => {
  for (const [origin, title, text] of others)
    test(`${title ?? ''} ${text}`, () => assert.notEqual(readMessage(from(origin, title, text)).kind, 'credit'))
})
