import type { Bank } from '../bank.ts'

export const sberbank: Bank = {
  bank: 'sberbank',
  country: 'ru',
  currency: 'rub',
  senders: ['900'],
  packages: ['ru.sberbankmobile'],
  titles: ['СберБанк', 'Сбербанк Онлайн', 'Сбер'],
  parts: {
    product:
      '<СЧЕТ|ПЛАТ.СЧЕТ|Сбер.счет|[Карта] <VISA|MIR|МИР|ECMC|MAES|MAESTRO|MASTERCARD|EUROPAY> [Classic|Gold|Platinum|Momentum]|Карта>[-] {account}',
    pushed: '[Счёт карты|Счёт|Карта|Накопительный счет|Пенсионный[+]] [VISA|МИР|MIR|MASTERCARD|MAESTRO|ECMC] {account}',
    comment_of_payer: '[<"{comment}"|Сообщение: {message}>]',
    gave: '<перевел(а)|перевел|перевела>',
    income: '<зарплаты|аванса|отпускных|пенсии|стипендии|пособия|кешбэка|процентов|по договору займа|перевода>',
  },
  templates: {
    credit: [
      '<Зачисление|Выплата> <средств|{income}> + {amount} - Баланс: {balance} {pushed}',
      'Перевод [из {bank}] [+]{amount} от {person} Баланс: {product} {balance} {comment_of_payer}',

      '<{product} [{time}]|СБЕРБАНК.> Перевод [по СБП] [из {bank}] [+]{amount} от {person} [[-] Баланс: {balance}] {comment_of_payer}',
      'Перевод [из {bank}] [+]{amount} от {person} {product} [-] Баланс: {balance} {comment_of_payer}',
      '[Зачислен перевод] {product} [{time}] зачислен перевод [по СБП] {amount} [из {bank}] от {person} [Баланс: {balance}] {comment_of_payer}',
      '{product} [{time}] зачисление [{income}] {amount} [<{bank:named}|ПСБ|{text}>] Баланс: {balance} [Перейти в историю уведомлений {link}]',
      '{product} [{time}] зачисление {amount} [<{bank:named}|{text}>] Баланс: {balance} {product} {moment} {person} {gave} вам {amount}[.]',
      '{product} [{time}] перечисление {amount} ZACHISLENIE {word} Баланс: {balance}',
      '{product} [{time}] Выплата кешбэка [по СБП] {amount} [{text}] Баланс: {balance}',
      '<{product} [{time}]|Сбербанк Онлайн.> {person} {gave} Вам {amount}[.] [Баланс: {balance}] {comment_of_payer}',
      'Накопит. счет [{word}] {account} Капитализация на {amount}[.] Баланс: {balance}[.] [Подробнее {link}]',
      'Перевод [по СБП] от {person} [{bank}] + {amount} [-] [Баланс: {balance}] {pushed} ["{comment}"]',
      'Зачисление {amount} {product} Баланс: {balance}',
    ],
    debit: [
      '{product} [{time}] <Покупка [по СБП]|Оплата [услуг|по СБП]|Списание|Выдача [наличных]> {amount:home} [Комиссия {fee}] [{text}] Баланс: {balance}',
      '{product} [{time}] <Покупка|Оплата|Списание> {sum} ({amount}) [{text}] Баланс: {balance}',
      '{product} [{time}] перевод {amount} [Комиссия {fee}] Баланс: {balance}',
      '{product} [{time}] перевод {amount} на <карту|счёт> {text}. Баланс счёта: {balance}, баланс карты: {sum}',
      '{product}: перевод {amount} на карту получателя {text} выполнен. [Подробнее {text}]',
      'Исполнение Автоплатежа {text} прошло успешно. Ваш счет на сумму {amount} с карты {product} оплачен. [Комиссия составила {fee}] [Дата следующего платежа {moment}]',
      '{product}: пополнение Копилки на {text} на сумму {amount} [Дата следующего платежа {moment}]',
      '{text} {amount} - <В запасе|Осталось>: {balance} {pushed}',
      '<Покупка|Оплата|Списание> [{text}] {amount} - Баланс: {balance} {pushed}',
      'Сбербанк Онлайн. С Вашей карты {account} произведен перевод на карту № {card} на сумму {amount}',
    ],
    declined: [
      '{product} [{time}] ОТКАЗ [({text})] <покупка|оплата|перевод|выдача [наличных]|списание> {amount} [{text}]',
      '{product}:{time}. <Покупка|Перевод|Оплата> на {amount}, {text}, отклонен<|а> {text}',
      'Операция не выполнена. {text}',
    ],
    reversal: [
      '{product} [{time}] <Отмена|возврат> <покупки|оплаты|перевода|списания|зачисления|выдачи [наличных]> {amount} [{text}] [Баланс: {balance}]',
    ],
    other: [
      '{text}, для оплаты счета {text} на сумму {amount} с карты {product} отправьте код {digits} на номер 900. {text}',
      'Автоплатёж {text} с карты {product} на {amount} будет исполнен {moment}. [Комиссия {fee}] {text}',
      '{text}, оформите вклад {text}',

      '{product} Баланс: {balance}',
      'Баланс карты {account}: {balance}',
      'Автоперевод {text} со счёта {account} клиенту {text} на {amount} изменён. {text}',
      '{text}, Сбербанк напомнит Вам о регулярном переводе {text} Чтобы повторить Ваш перевод на сумму {amount} с карты {product}, просто отправьте сообщение {text}',
      'Вход в <Сбербанк|СберБанк> Онлайн [для {word}] {time}',
      'Вы начали обслуживание в СберБанке в {time}. {text}',
      'СберБанк Онлайн заблокирован {text}',
      'Внесите платёж {sum} до {moment}',
      'Платёж по кредитной карте Внесите платёж {sum} до {moment}',
      'СберМегаМаркет: {text}',
      '{text}, Вам предварительно одобрена {text}',
    ],
  },
}
