// The kinds of trouble that bank files make, in other formats than in scenarios/bank-file-cases.test.ts: upload,
// preview, confirm, ledger and doctor.
import assert from 'node:assert/strict'
import {
  balance,
  camt,
  csv,
  details,
  entry,
  exchange,
  mt940,
  ofx,
  paidBy,
  xlsx,
} from '../../packages/bank-files/test/support/short-files.ts'
import { openAccounts } from '../support/bank-accounts.ts'
import { assertHealthy } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type Variant = {
  /** Imported one after the other; most are of the first account. */
  readonly files: readonly ((account: string, other: string) => string | Buffer)[]
  readonly currency?: string
  /** Why the last file is refused. */
  readonly refused?: RegExp
  /** What is recorded, as `23 ±amount initials`; `?` marks what waits as a possible duplicate, `=` what is one. */
  readonly recorded?: readonly string[]
  /** What the rows of the last file show: number, payer and text. */
  readonly shown?: readonly string[]
}

const [first, second] = ['2026-11-23', '2026-11-24']
// The same days in a workbook.
const [firstCell, secondCell] = [{ day: 46_349 }, { day: 46_350 }]

const sumOf = (count: number): string => `<NtryDtls><Btch><NbOfTxs>${count}</NbOfTxs></Btch></NtryDtls>`
const annaAndBert = entry(first, '90.00', paidBy('35.00 Anna Berg', '55.00 Bert Cohn'))
const petrov = { minor: 25_00n, payer: 'Петров Пётр', payerAccount: '40817810000000002222' }
const ivanov = { minor: 25_00n, payer: 'Иванов Иван', payerAccount: '40817810000000001111' }

/** One variant of each kind, for both engines. */
const representative: Readonly<Record<string, Variant>> = {
  'A: an OFX reference of eight characters begins again, with the same payer': {
    files: [
      ofx(`${first} 25.00 TRN00001 <NAME>Anna Berg<MEMO>order 1`),
      ofx(`${second} 25.00 TRN00001 <NAME>Anna Berg<MEMO>order 2`),
    ],
    recorded: ['23 +25 A. B.', '24 ?+25 A. B.'],
  },
  'B: payments of a camt.054, then their sum in a camt.053': {
    files: [camt('054', annaAndBert), camt('053', entry(first, '90.00', sumOf(2)), entry(first, '90.00', sumOf(3)))],
    recorded: ['23 +35 A. B.', '23 +55 B. C.', '23 +90', '23 =+90'],
  },
  'C: the value date of an MT940 row is two years before its statement': {
    files: [mt940('C260102EUR0,00', ['2411300102C10,00NTRFNONREF'], 'C260102EUR10,00')],
    recorded: ['2026-01-02 +10'],
  },
  'D: an OFX text has tags in CDATA, in small letters and in a comment': {
    files: [
      ofx(
        `${first} 10.00 1 <NAME>Anna Berg<MEMO><![CDATA[Order <b>7</b></MEMO></STMTTRN><TRNAMT>99 ]]>`,
        `${first} 11.00 2 <NAME>Bert Cohn<MEMO>pay <order> 8, </order> <!-- <STMTTRN> -->thanks`,
      ),
    ],
    recorded: ['23 +10 A. B.', '23 +11 B. C.'],
    shown: ['1 Anna Berg Order <b>7</b></MEMO></STMTTRN><TRNAMT>99', '2 Bert Cohn pay <order> 8, </order> thanks'],
  },
  'E: amounts of MT940 have no digits on one side of the comma': {
    files: [
      mt940('C261122EUR,00', ['2611231123C,50NTRFNONREF', '2611231123C12,NTRFNONREF'], 'C261123EUR12,5'),
      mt940('C261123EUR12,50', ['2611241124CR0007,25NTRFNONREF'], 'C261124EUR19,75'),
    ],
    recorded: ['23 +0.5', '23 +12', '24 +7.25'],
  },
  'F: a camt balance does not say whether it is a debit': {
    files: [camt('053', balance('OPBD', '0.00', ''), balance('CLBD', '10.00', 'Credit'), entry(first, '10.00'))],
    refused: /does not say whether it is a credit or a debit \(CdtDbtInd\): "Credit"\. Export the file again/,
  },
  'G: camt names only the ultimate payer, or the account': {
    files: [
      camt(
        '053',
        entry(
          first,
          '10.00',
          details(
            '<Refs><EndToEndId>E2E-7</EndToEndId></Refs><RltdPties><UltmtDbtr><Pty><Nm>Anna Berg</Nm></Pty></UltmtDbtr></RltdPties>',
          ),
        ),
        entry(
          first,
          '11.00',
          details('<RltdPties><DbtrAcct><Id><Othr><Id>42</Id></Othr></Id><Nm>Bert Cohn</Nm></DbtrAcct></RltdPties>'),
        ),
      ),
    ],
    recorded: ['23 +10 A. B.', '23 +11 B. C.'],
    shown: ['E2E-7 Anna Berg', 'Bert Cohn'],
  },
  'H: an MT940 amount has groups of thousands': {
    files: [mt940('C261122EUR0,', ['2611231123C1,650.00NTRFNONREF'], 'C261123EUR1,65')],
    refused: /The row \(:61:\) is not in the form of MT940 .*"2611231123C1,650\.00.*Ask the bank for a corrected file/,
  },
  'I: a camt element has the end tag of another one': {
    files: [camt('053', '<Ntry><Amt Ccy="EUR">10.00</Amount></Ntry>')],
    refused: /<Amt> has the end tag of another element\. Download the file again/,
  },
}

const others: Readonly<Record<string, Variant>> = {
  // A reference that begins again loses no money.
  'A: an OFX reference begins again on one day, without payers': {
    files: [
      ofx(`${first} 25.00 TRN00001 <MEMO>order 1`),
      ofx(`${first} 25.00 TRN00001 <MEMO>order 2`),
      ofx(`${first} 25.00 TRN00001 <MEMO>order 1, paid`, `${first} 9.00 TRN00002`),
    ],
    recorded: ['23 +25', '23 +9', '23 ?+25'],
  },
  'A: an MT940 reference begins again each day, and the balances prove two credits': {
    files: [
      mt940('C261122EUR0,00', ['2611231123C25,00NTRFNONREF//REF00001'], 'C261123EUR25,00'),
      mt940('C261123EUR25,00', ['2611241124C25,00NTRFNONREF//REF00001'], 'C261124EUR50,00'),
    ],
    recorded: ['23 +25', '24 ?+25'],
  },
  'A: payments of camt bookings have short references': {
    files: [
      camt('053', entry(first, '55.00', paidBy('25.00 #1 Anna Berg', '30.00 #2 Bert Cohn'))),
      camt('053', entry(second, '55.00', paidBy('25.00 #1 Carl Dorn', '30.00 #2 Bert Cohn'))),
    ],
    recorded: ['23 +25 A. B.', '23 +30 B. C.', '24 +25 C. D.', '24 +30 B. C.'],
  },
  'A: each OFX file counts from 1, and the files overlap': {
    files: [
      ofx(`${first} 25.00 1 <NAME>Anna Berg`, `${second} 25.00 2 <NAME>Bert Cohn`),
      ofx(`${second} 25.00 1 <NAME>Bert Cohn`, `${second} 7.00 2 <NAME>Carl Dorn`),
    ],
    recorded: ['23 +25 A. B.', '24 +25 B. C.', '24 +7 C. D.', '24 ?+25 B. C.'],
  },
  'A: each table counts its lines, and the tables overlap': {
    files: [
      csv('№ п/п;Дата;Сумма;Плательщик', `1;${first};+25.00;Anna Berg`, `2;${second};+25.00;Bert Cohn`),
      csv('№ п/п;Дата;Сумма;Плательщик', `1;${second};+25.00;Bert Cohn`, `2;${second};+7.00;Carl Dorn`),
    ],
    recorded: ['23 +25 A. B.', '24 +25 B. C.', '24 +7 C. D.'],
  },
  'A: one number of 1C is that of two payers and of two days': {
    currency: 'rub',
    files: [
      exchange({ reference: '1', ...ivanov }),
      exchange({ reference: '1', ...petrov }, { reference: '1', ...ivanov, date: second }),
    ],
    recorded: ['23 +25 И. И.', '23 +25 П. П.', '24 +25 И. И.'],
  },
  // A sum and its parts are the same money.
  'B: two sums of a day with short references, then their payments': {
    files: [
      camt('052', entry(first, '90.00', `<AcctSvcrRef>7</AcctSvcrRef>${sumOf(2)}`), entry(first, '70.00', sumOf(2))),
      camt('053', entry(first, '70.00', paidBy('30.00 Carl Dorn', '40.00 Dora Ende')), annaAndBert),
    ],
    recorded: ['23 +30 C. D.', '23 +35 A. B.', '23 +40 D. E.', '23 +55 B. C.', '23 =+70', '23 =+90'],
  },
  'B: a sum of nobody knows how many payments in OFX, then its payments': {
    files: [ofx(`${first} 90.00 1 <MEMO>SAMMELGUTSCHRIFT`), camt('054', annaAndBert)],
    recorded: ['23 +90', '23 ?+35 A. B.', '23 ?+55 B. C.'],
  },
  'B: payments, then a sum of nobody knows how many in a workbook': {
    files: [
      camt('054', annaAndBert),
      xlsx(['Date', 'Amount', 'Text'], [firstCell, 90, 'Collective credit'], [firstCell, -1, 'Fee']),
    ],
    recorded: ['23 +35 A. B.', '23 +55 B. C.', '23 -1', '23 ?+90'],
  },
  // The day of booking counts, whatever other days a row has.
  'C: camt, a table, a workbook and OFX have other dates in another year': {
    files: [
      camt('053', entry('2026-01-02', '10.00', '<ValDt><Dt>2025-12-31</Dt></ValDt>')),
      csv('Valutadatum;Buchungstag;Betrag;Text', '30.11.2025;02.01.2026;+11,00;a', '02.01.2026;30.12.2025;-5,00;b'),
      xlsx(
        ['Value date', 'Completed date', 'Amount'],
        [{ day: 45_991 }, { day: 46_024 }, 12],
        [firstCell, secondCell, -1],
      ),
      ofx(`${first} 13.00 1 <DTUSER>20251231<DTAVAIL>20270102`),
    ],
    recorded: ['2025-12-30 -5', '2026-01-02 +10', '2026-01-02 +11', '2026-01-02 +12', '23 +13', '24 -1'],
  },
  'C: a card has a day of purchase and one of posting': {
    files: [
      csv('Transaction Date,Post Date,Text,Amount', '11/21/2026,11/23/2026,a,10.00', '11/23/2026,11/24/2026,b,-1.00'),
      csv('Transaction date;Completed date;Text;Amount', `2026-11-22;${first};c;11.00`, `${first};${second};d;-2.00`),
    ],
    recorded: ['23 +10', '23 +11', '24 -1', '24 -2'],
  },
  // A text is a text, whatever it looks like.
  'D: a camt text has tags': {
    files: [
      camt(
        '053',
        entry(
          first,
          '10.00',
          details(
            '<RmtInf><Ustrd><![CDATA[order <Ntry><Amt>99</Amt> 7]]></Ustrd><Ustrd>&lt;/Ntry&gt;</Ustrd></RmtInf>',
          ),
        ),
      ),
    ],
    recorded: ['23 +10'],
    shown: ['order <Ntry><Amt>99</Amt> 7 </Ntry>'],
  },
  'D: a cell of a workbook has lines of a table, or the name of a sum': {
    files: [
      xlsx(
        ['Date', 'Amount', 'Payer', 'Text'],
        [firstCell, 10, 'Anna Berg', 'order 7\n2026-11-24;99;Bert'],
        [firstCell, 11, 'Balance Ltd', 'Closing balance 99'],
        [firstCell, -1, 'Bank', '=1+1'],
      ),
    ],
    recorded: ['23 +10 A. B.', '23 +11 Balance Ltd', '23 -1'],
  },
  'D: a purpose of 1C has a word that begins like an end, and a field; one of MT940 has a question mark': {
    currency: 'rub',
    files: [
      (account) =>
        exchange({ ...ivanov, text: 'Оплата' })(account).replace('=Оплата', '=Оплата\nКонецДокументации\nСумма=99'),
      mt940(
        'C261123RUB25,00',
        ['2611241124C11,00NTRFNONREF\n:86:020?00Credit?20Order 7?Yes, 8?32Bert Cohn'],
        'C261124RUB36,00',
      ),
    ],
    recorded: ['23 +25 И. И.', '24 +11 B. C.'],
    shown: ['Bert Cohn Order 7?Yes, 8'],
  },
  // What is clear is not refused.
  'E: OFX has such amounts, and tables the noise of floating-point numbers': {
    files: [
      ofx(`${first} .50 1`, `${first} +7.25 2`, `${first} 12. 3`, `${first} -,75 4`),
      csv('Date;Amount;Text', `${second};+3.3000000000000003;a`, `${second};-1.;b`),
    ],
    recorded: ['23 +0.5', '23 +12', '23 +7.25', '23 -0.75', '24 +3.3', '24 -1'],
  },
  'E: both halves of an own transfer in camt have one reference': {
    files: [
      (account, other) => {
        const halfOf = (own: string, direction: string): string =>
          camt('053', entry(first, '77.00', '<AcctSvcrRef>OWN-TRANSFER-1</AcctSvcrRef>', direction))(own)
        const half = /<Stmt>.*<\/Stmt>/s.exec(halfOf(other, 'CRDT'))?.[0] ?? ''
        return halfOf(account, 'DBIT').replace('</Stmt>', `</Stmt>${half}`)
      },
    ],
    recorded: ['23 +77', '23 -77'],
  },
  // A check that cannot be made is a fault.
  'F: a workbook has an error in place of its closing balance': {
    files: [
      xlsx(['Opening balance', 0], ['Date', 'Amount'], [firstCell, 10], [firstCell, -1], ['Closing balance', '#REF!']),
    ],
    refused: /The closing balance "#REF!" is not an amount: correct it, or export the file again/,
  },
  'F: a balance of a table has noise, and is wrong': {
    files: [
      csv(
        'Opening balance;100.00000000000001',
        'Date;Amount',
        `${first};+66.00`,
        `${first};-1.00`,
        'Closing balance;999.0000000000001',
      ),
    ],
    refused:
      /100\.00 \+ 66\.00 − 1\.00 = 165\.00, but the closing balance is 999\.00\. .* get the file from the bank again/,
  },
  'F: a balance of 1C is a word': {
    currency: 'rub',
    files: [(account) => exchange(ivanov)(account).replace(/КонечныйОстаток=.*/, 'КонечныйОстаток=нет данных')],
    refused: /КонечныйОстаток is not an amount .*"нет данных"\. Correct it, or export the file again/,
  },
  // What the file knows is kept.
  'G: MT940 has other marks, named numbers, texts of the row itself, and parts without spaces': {
    files: [
      mt940(
        'C261122EUR0,00',
        [
          '2611231123C10,00NTRFNONREF\n:86:020<00Credit<20Zaplata za zamowienie order<21-7<32Anna Berg',
          '2611231123C11,00NTRFNONREF\n:86:/EREF/E2E-8//NAME/Bert Cohn/REMI/order-8',
          '2611231123C12,00NTRFKREF+\nCarl Dorn order-9\n:86:166?00GUTSCHRIFT',
          '2611231123C13,00NTRFNONREF\n:86:166?20EREF+order-10?21KREF+NONREF?22SVWZ+thanks?32Dora Ende',
        ],
        'C261123EUR46,00',
      ),
    ],
    recorded: ['23 +10 A. B.', '23 +11 B. C.', '23 +12', '23 +13 D. E.'],
    shown: [
      ...['Anna Berg Zaplata za zamowienie order-7', 'E2E-8 Bert Cohn order-8', 'GUTSCHRIFT Carl Dorn order-9'],
      'Dora Ende EREF+order-10 KREF+NONREF SVWZ+thanks',
    ],
  },
  'G: tables have their purpose in several columns, and the payer under names of German banks': {
    files: [
      csv('Buchungstag;Betrag;Auftraggeber;Zweck', '24.11.2026;+11,00;Bert Cohn;x', '24.11.2026;-2,00;;y'),
      csv(
        'Buchungsdatum;Status;Zahlungspflichtige*r;Verwendungszweck 1;Verwendungszweck 2;IBAN;Betrag (€)',
        '23.11.26;Gebucht;Anna Berg;Zahlung;order-7;DE02100100100006820102;10,00',
        '23.11.26;Vorgemerkt;Carl Dorn;Zahlung;order-8;DE02100100100006820103;12,00',
        '23.11.26;Gebucht;Shop;Entgelt;;;-1,00',
      ),
    ],
    recorded: ['23 +10 A. B.', '23 -1', '24 +11 B. C.', '24 -2'],
    shown: ['Anna Berg Zahlung order-7', 'Entgelt'],
  },
  'G: OFX has the number of a document': {
    files: [ofx(`${first} 12.00 BANKREF-1 <CHECKNUM>4711<PAYEE><NAME>Carl Dorn</PAYEE>`)],
    recorded: ['23 +12 C. D.'],
    shown: ['4711 Carl Dorn'],
  },
  // Money that may be two amounts is refused.
  'H: the text of a workbook may be thousands': {
    files: [xlsx(['Date', 'Amount'], [firstCell, '+1,650'], [firstCell, -1])],
    refused: /"\+1,650" may be thousands or decimals\. Say which mark comes before the decimals/,
  },
  'H: a sum of 1C may be thousands': {
    currency: 'rub',
    files: [(account) => exchange(ivanov)(account).replace('Сумма=25.00', 'Сумма=1,650')],
    refused: /Сумма is not an amount with one clear meaning, such as 1650\.00: "1,650"\. Correct it/,
  },
  'H: the closing balance of a table shows the mark': {
    files: [csv('Date;Amount;Text', `${first};+1.650;a`, `${first};-2.000;b`, 'Closing balance;-350,00')],
    recorded: ['23 +1650', '23 -2000'],
  },
  // A message names what is wrong, and what to do.
  'I: a document of 1C has no end': {
    currency: 'rub',
    files: [(account) => exchange(ivanov, petrov)(account).replace('КонецДокумента', '')],
    refused:
      /before the section that began on line 15 \(СекцияДокумент\) has its end \(КонецДокумента\): export the file/,
  },
  'I: 1C has no first line, and MT940 no beginning of its message': {
    currency: 'rub',
    files: [
      (account) => exchange(ivanov)(account).replace(/^.*\r\n/, ''),
      (account) => mt940('C261122RUB0,00', [], 'C261122RUB0,00')(account).replace(/:20:.*\n:25:.*\n/, ''),
    ],
    refused: /before the statement begins \(:20:, :25:\): download the file again/,
  },
  'I: the page of a bank asks to sign in': {
    files: [() => '<!DOCTYPE html>\n<html><body>Sign in</body></html>'],
    refused: /is a web page \(HTML\).*if it asks to sign in, download the file again/,
  },
}

type Shown = { readonly number?: string; readonly payerName?: string; readonly text?: string }

/** The money of what is recorded, in hundredths: certain duplicates have none. */
const sumOfRecorded = (recorded: readonly string[]): number =>
  recorded.reduce((sum, each) => sum + Math.round(Number(/ \??([+-][\d.]+)/.exec(each)?.[1] ?? 0) * 100), 0)

const declare = (on: typeof onOne, [title, variant]: readonly [string, Variant]): void => {
  const { files, currency = 'eur', refused, recorded = [], shown } = variant
  on(title, async (service) => {
    service.clock.now = Date.parse('2026-11-28T08:00:00.000Z')
    const bank = await openAccounts(service, currency)
    let last = ''
    for (const [index, file] of files.entries()) {
      const { status, body } = await uploadFile(service, file(...bank.numbers))
      if (refused && index === files.length - 1) {
        assert.equal(status, 422)
        return assert.match(body.detail, refused)
      }
      assert.deepEqual([status, body.faults], [201, []], JSON.stringify(body))
      const confirmed = await bank.confirm(body.id)
      await service.runJobs()
      const imported = (await bank.operator.get(`/statements/${body.id}`)).body
      assert.deepEqual([confirmed.status, imported.state, imported.counts], [200, 'imported', body.counts])
      last = body.id
    }
    assert.deepEqual(await bank.recorded(), recorded)
    assert.equal(await bank.held(), sumOfRecorded(recorded))
    if (shown) {
      const { rows } = (await bank.operator.get(`/statements/${last}/rows`)).body
      const found = rows.map(({ number, payerName, text }: Shown) =>
        [number, payerName, text].filter(Boolean).join(' '),
      )
      assert.deepEqual(found, shown)
    }
    // After all variants, all invariants are checked again.
    if (on === onEngines) await assertHealthy(service)
  })
}

for (const each of Object.entries(representative)) declare(onEngines, each)
for (const each of Object.entries(others)) declare(onOne, each)
