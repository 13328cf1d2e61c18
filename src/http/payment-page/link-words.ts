import { message } from './message.ts'
import type { Locale } from './languages.ts'

const english = {
  amount: 'How much would you like to pay?',
  between: (min: string, max: string) => `From ${min} to ${max}.`,
  missing: 'Enter the amount.',
  wrong: (example: string) => `Enter the amount in digits, such as ${example}.`,
  /** `typed` may be `thousands` or a fraction, which has two digits: `fraction`. */
  unclear: (typed: string, thousands: string, fraction: string) =>
    `Does ${typed} mean thousands? Then enter ${thousands}. Otherwise, enter two digits after the separator: ${fraction}.`,
  /** The amount has more decimals than its currency. */
  precision: (decimals: number) =>
    decimals === 0
      ? 'Enter a whole amount, without decimals.'
      : `Enter at most ${decimals} digits after the decimal point.`,
  tooSmall: (min: string) => `This is too little: the smallest amount is ${min}.`,
  tooLarge: (max: string) => `This is too much: the largest amount is ${max}.`,
  /** Below the button. */
  next: 'Nothing is charged yet: you’ll make the transfer yourself, in your bank’s app.',
  again: 'Try again',
  /** The form did not arrive complete, or its method is no longer offered. */
  stale: 'Part of the form didn’t arrive, or is no longer offered. Please check it and send it again.',
  /** No account is free for this amount and method. */
  taken: 'We can’t take this amount at the moment. Try again in a few minutes, or pay in another way.',
  /** Nothing can be paid at the moment, whatever the payer enters. */
  unavailable: message(
    'Payments aren’t possible right now',
    'You haven’t been charged. Please try again in a few minutes.',
  ),
  /** Somebody else is paying. */
  busy: message(
    'Somebody is already paying',
    'This link is for a single payment, and one has been started.',
    'Was it you? Go back to the page that you were on: it’s still there, in your browser or its history.',
  ),
  /** The same at a link for several payments, all of which have been started. */
  allTaken: message(
    'All payments of this link have been started',
    'This link takes a limited number of payments, and all of them have been started.',
  ),
  /** Follows both: when a place may be free again. */
  freeIn: (span: string) => `If a payment isn’t made, you can pay here in ${span}.`,
  /** The one payment of a link is paid; or all payments that it may have. */
  usedUp: message(
    'This has been paid',
    'The link is for a single payment, and the money has arrived. Please don’t pay again.',
  ),
  allUsed: message(
    'No more payments are taken here',
    'All payments of this link have been made. You haven’t been charged.',
  ),
  ended: message('The time for this payment is over', 'You haven’t been charged. To pay, ask for a new link.'),
  closed: message('This link has been closed', 'You haven’t been charged. To pay, ask for a new link.'),
  limited: (span: string) =>
    message(
      'Too many payments are waiting',
      'Several payments have been started from this link, or from your network, but not made. If one of them is yours, go back to its page, in your browser or its history, and pay or cancel it.',
      `If none is, try again in ${span}, or from another network, such as mobile data. You haven’t been charged.`,
    ),
  /** The payer has sent the form again, and a newer payment has taken the place of this one. */
  replaced: message(
    'A newer payment has replaced this one',
    'You sent the form again, and a new payment was started instead of this one. Please pay there, and not here.',
  ),
  toNewer: 'Go to the newer payment',
  startAgain: 'Start again',
}

/** The texts of a payment link's page, next to those of the dictionaries; amounts and spans are passed in ready to read. */
export type LinkWords = typeof english

const russian: LinkWords = {
  amount: 'Сколько вы хотите заплатить?',
  between: (min, max) => `От ${min} до ${max}.`,
  missing: 'Укажите сумму.',
  wrong: (example) => `Введите сумму цифрами, например ${example}.`,
  unclear: (typed, thousands, fraction) =>
    `${typed} — это тысячи? Тогда введите ${thousands}. Если нет, оставьте две цифры после запятой: ${fraction}.`,
  precision: (decimals) =>
    decimals === 0 ? 'Введите целую сумму, без дробной части.' : `Цифр после запятой может быть не больше ${decimals}.`,
  tooSmall: (min) => `Слишком мало: наименьшая сумма — ${min}.`,
  tooLarge: (max) => `Слишком много: наибольшая сумма — ${max}.`,
  next: 'Сейчас деньги не списываются: перевод вы сделаете сами в приложении своего банка.',
  again: 'Попробовать снова',
  stale: 'Часть формы не дошла или больше не предлагается. Проверьте её и отправьте ещё раз.',
  taken: 'Сейчас мы не можем принять эту сумму. Попробуйте через несколько минут или выберите другой способ.',
  unavailable: message('Сейчас оплатить нельзя', 'Деньги не списаны. Попробуйте через несколько минут.'),
  busy: message(
    'Кто-то уже платит',
    'Ссылка — на один платёж, и его уже начали.',
    'Это были вы? Вернитесь на страницу, с которой ушли: она осталась в браузере или в его истории.',
  ),
  allTaken: message(
    'Все платежи по ссылке уже начаты',
    'Ссылка — на ограниченное число платежей, и все они уже начаты.',
  ),
  freeIn: (span) => `Если платёж не оплатят, вы сможете заплатить здесь через ${span}.`,
  usedUp: message(
    'Уже оплачено',
    'Ссылка — на один платёж, и деньги по нему получены. Пожалуйста, не платите ещё раз.',
  ),
  allUsed: message('Здесь больше не принимают платежи', 'Все платежи по этой ссылке уже сделаны. Деньги не списаны.'),
  ended: message('Срок оплаты прошёл', 'Деньги не списаны. Чтобы оплатить, попросите новую ссылку.'),
  closed: message('Ссылка закрыта', 'Деньги не списаны. Чтобы оплатить, попросите новую ссылку.'),
  limited: (span) =>
    message(
      'Слишком много начатых платежей',
      'По этой ссылке или из вашей сети начато и не оплачено несколько платежей. Если один из них ваш, вернитесь на его страницу — она осталась в браузере или в его истории — и оплатите или отмените его.',
      `Если нет, попробуйте через ${span} или из другой сети, например через мобильный интернет. Деньги не списаны.`,
    ),
  replaced: message(
    'Этот платёж заменён новым',
    'Вы отправили форму ещё раз, и вместо этого платежа начат новый. Пожалуйста, платите там, а не здесь.',
  ),
  toNewer: 'Перейти к новому платежу',
  startAgain: 'Начать заново',
}

const kazakh: LinkWords = {
  amount: 'Қанша төлегіңіз келеді?',
  between: (min, max) => `${min} бастап ${max} дейін.`,
  missing: 'Соманы енгізіңіз.',
  wrong: (example) => `Соманы цифрлармен енгізіңіз, мысалы ${example}.`,
  unclear: (typed, thousands, fraction) =>
    `${typed} — бұл мыңдар ма? Олай болса, ${thousands} деп енгізіңіз. Болмаса, үтірден кейін екі цифр қалдырыңыз: ${fraction}.`,
  precision: (decimals) =>
    decimals === 0 ? 'Бүтін соманы енгізіңіз, бөлшексіз.' : `Үтірден кейін ең көбі ${decimals} цифр болады.`,
  tooSmall: (min) => `Тым аз: ең аз сома — ${min}.`,
  tooLarge: (max) => `Тым көп: ең көп сома — ${max}.`,
  next: 'Қазір ештеңе алынбайды: аударымды банкіңіздің қосымшасында өзіңіз жасайсыз.',
  again: 'Қайталап көру',
  stale: 'Форманың бір бөлігі жетпеді немесе енді ұсынылмайды. Тексеріп, қайта жіберіңіз.',
  taken: 'Қазір бұл соманы қабылдай алмаймыз. Бірнеше минуттан кейін көріңіз немесе басқаша төлеңіз.',
  unavailable: message('Қазір төлеу мүмкін емес', 'Ақша алынған жоқ. Бірнеше минуттан кейін қайталап көріңіз.'),
  busy: message(
    'Біреу төлеп жатыр',
    'Сілтеме бір ғана төлемге арналған, ол басталып қойған.',
    'Бұл сіз болсаңыз, ашқан бетіңізге оралыңыз: ол браузерде немесе оның тарихында қалды.',
  ),
  allTaken: message(
    'Сілтеменің барлық төлемі басталып қойған',
    'Сілтеме төлемдердің шектеулі санына арналған, олардың бәрі басталып қойған.',
  ),
  freeIn: (span) => `Төленбесе, осы жерде мына уақыттан кейін төлей аласыз: ${span}.`,
  usedUp: message('Төленіп қойған', 'Сілтеме бір ғана төлемге арналған, ақша келді. Қайта төлемеңіз.'),
  allUsed: message('Мұнда енді төлем қабылданбайды', 'Бұл сілтеменің барлық төлемі жасалды. Ақша алынған жоқ.'),
  ended: message('Төлеу мерзімі өтті', 'Ақша алынған жоқ. Төлеу үшін жаңа сілтеме сұраңыз.'),
  closed: message('Сілтеме жабылды', 'Ақша алынған жоқ. Төлеу үшін жаңа сілтеме сұраңыз.'),
  limited: (span) =>
    message(
      'Басталған төлемдер тым көп',
      'Осы сілтеме бойынша немесе сіздің желіңізден бірнеше төлем басталып, төленбеген. Біреуі сіздікі болса, оның бетіне оралыңыз: ол браузерде немесе оның тарихында қалды. Сонда төлеңіз немесе бас тартыңыз.',
      `Болмаса, кейінірек көріңіз: ${span}, немесе басқа желіден, мысалы мобильді интернеттен кіріңіз. Ақша алынған жоқ.`,
    ),
  replaced: message(
    'Бұл төлем жаңасымен ауыстырылды',
    'Сіз форманы қайта жібердіңіз, осы төлемнің орнына жаңасы басталды. Осы жерде емес, сонда төлеңіз.',
  ),
  toNewer: 'Жаңа төлемге өту',
  startAgain: 'Қайтадан бастау',
}

const tajik: LinkWords = {
  amount: 'Чӣ қадар пардохт кардан мехоҳед?',
  between: (min, max) => `Аз ${min} то ${max}.`,
  missing: 'Маблағро ворид кунед.',
  wrong: (example) => `Маблағро бо рақамҳо ворид кунед, масалан ${example}.`,
  unclear: (typed, thousands, fraction) =>
    `${typed} — ин ҳазорҳост? Пас ${thousands} ворид кунед. Агар не, пас аз вергул ду рақам гузоред: ${fraction}.`,
  precision: (decimals) =>
    decimals === 0 ? 'Маблағи бутунро ворид кунед, бе каср.' : `Пас аз вергул на зиёда аз ${decimals} рақам мешавад.`,
  tooSmall: (min) => `Хеле кам: маблағи камтарин — ${min}.`,
  tooLarge: (max) => `Хеле зиёд: маблағи зиёдтарин — ${max}.`,
  next: 'Ҳоло чизе гирифта намешавад: интиқолро худатон дар барномаи бонки худ мекунед.',
  again: 'Бори дигар кӯшиш кардан',
  stale: 'Як қисми форма нарасид ё дигар пешниҳод намешавад. Онро санҷида, бори дигар фиристед.',
  taken: 'Ҳоло ин маблағро қабул карда наметавонем. Пас аз чанд дақиқа кӯшиш кунед ё тарзи дигарро интихоб кунед.',
  unavailable: message(
    'Ҳоло пардохт кардан мумкин нест',
    'Пул гирифта нашуд. Пас аз чанд дақиқа бори дигар кӯшиш кунед.',
  ),
  busy: message(
    'Касе аллакай пардохт мекунад',
    'Пайванд барои як пардохт аст, ва он оғоз шудааст.',
    'Ин шумо будед? Ба саҳифаи пештара баргардед: он дар браузер ё таърихи он мондааст.',
  ),
  allTaken: message(
    'Ҳамаи пардохтҳои ин пайванд оғоз шудаанд',
    'Пайванд барои шумораи маҳдуди пардохтҳост, ва ҳамаи онҳо оғоз шудаанд.',
  ),
  freeIn: (span) => `Агар пардохт нашавад, шумо дар ин ҷо пас аз ${span} пардохт карда метавонед.`,
  usedUp: message(
    'Аллакай пардохт шудааст',
    'Пайванд барои як пардохт аст, ва пул расид. Лутфан, бори дигар пардохт накунед.',
  ),
  allUsed: message(
    'Дар ин ҷо дигар пардохт қабул намешавад',
    'Ҳамаи пардохтҳои ин пайванд анҷом шуданд. Пул гирифта нашуд.',
  ),
  ended: message('Мӯҳлати пардохт гузашт', 'Пул гирифта нашуд. Барои пардохт пайванди нав пурсед.'),
  closed: message('Пайванд баста шудааст', 'Пул гирифта нашуд. Барои пардохт пайванди нав пурсед.'),
  limited: (span) =>
    message(
      'Пардохтҳои оғозшуда аз ҳад зиёданд',
      'Бо ин пайванд ё аз шабакаи шумо якчанд пардохт оғоз шуда, пардохт нашудаанд. Агар яке аз они шумо бошад, ба саҳифаи он баргардед: он дар браузер ё таърихи он мондааст. Дар он ҷо пардохт ё бекор кунед.',
      `Агар не, пас аз ${span} ё аз шабакаи дигар, масалан интернети мобилӣ, кӯшиш кунед. Пул гирифта нашуд.`,
    ),
  replaced: message(
    'Ба ҷойи ин пардохт пардохти нав оғоз шуд',
    'Шумо формаро бори дигар фиристодед, ва ба ҷойи ин пардохт пардохти нав оғоз шуд. Лутфан, дар он ҷо пардохт кунед, на дар ин ҷо.',
  ),
  toNewer: 'Гузариш ба пардохти нав',
  startAgain: 'Аз нав оғоз кардан',
}

const uzbek: LinkWords = {
  amount: 'Qancha toʻlamoqchisiz?',
  between: (min, max) => `${min} dan ${max} gacha.`,
  missing: 'Summani kiriting.',
  wrong: (example) => `Summani raqamlar bilan kiriting, masalan ${example}.`,
  unclear: (typed, thousands, fraction) =>
    `${typed} — bu minglarmi? Unda ${thousands} deb kiriting. Aks holda verguldan keyin ikkita raqam qoldiring: ${fraction}.`,
  precision: (decimals) =>
    decimals === 0 ? 'Butun summani kiriting, kasrsiz.' : `Verguldan keyin koʻpi bilan ${decimals} ta raqam boʻladi.`,
  tooSmall: (min) => `Juda kam: eng kichik summa — ${min}.`,
  tooLarge: (max) => `Juda koʻp: eng katta summa — ${max}.`,
  next: 'Hozir hech narsa yechilmaydi: oʻtkazmani bankingiz ilovasida oʻzingiz qilasiz.',
  again: 'Qayta urinish',
  stale: 'Shaklning bir qismi yetib kelmadi yoki endi taklif qilinmaydi. Tekshirib, qayta yuboring.',
  taken: 'Hozir bu summani qabul qila olmaymiz. Bir necha daqiqadan soʻng urining yoki boshqacha toʻlang.',
  unavailable: message('Hozir toʻlab boʻlmaydi', 'Pul yechilmadi. Bir necha daqiqadan soʻng qayta urinib koʻring.'),
  busy: message(
    'Kimdir allaqachon toʻlayapti',
    'Havola bitta toʻlov uchun, va u boshlangan.',
    'Bu siz edingizmi? Ochgan sahifangizga qayting: u brauzerda yoki uning tarixida qolgan.',
  ),
  allTaken: message(
    'Bu havolaning barcha toʻlovlari boshlangan',
    'Havola cheklangan miqdordagi toʻlovlar uchun, va ularning hammasi boshlangan.',
  ),
  freeIn: (span) => `Agar toʻlanmasa, shu yerda ${span}dan soʻng toʻlashingiz mumkin.`,
  usedUp: message('Allaqachon toʻlangan', 'Havola bitta toʻlov uchun, va pul keldi. Iltimos, yana toʻlamang.'),
  allUsed: message(
    'Bu yerda boshqa toʻlov qabul qilinmaydi',
    'Bu havolaning barcha toʻlovlari amalga oshirilgan. Pul yechilmadi.',
  ),
  ended: message('Toʻlov muddati oʻtdi', 'Pul yechilmadi. Toʻlash uchun yangi havola soʻrang.'),
  closed: message('Havola yopilgan', 'Pul yechilmadi. Toʻlash uchun yangi havola soʻrang.'),
  limited: (span) =>
    message(
      'Boshlangan toʻlovlar juda koʻp',
      'Bu havola boʻyicha yoki sizning tarmogʻingizdan bir nechta toʻlov boshlangan va toʻlanmagan. Biri sizniki boʻlsa, uning sahifasiga qayting: u brauzerda yoki uning tarixida qolgan. Oʻsha yerda toʻlang yoki bekor qiling.',
      `Boʻlmasa, ${span}dan soʻng yoki boshqa tarmoqdan, masalan mobil internetdan urining. Pul yechilmadi.`,
    ),
  replaced: message(
    'Bu toʻlov oʻrniga yangisi boshlandi',
    'Siz shaklni qayta yubordingiz va bu toʻlov oʻrniga yangisi boshlandi. Iltimos, bu yerda emas, oʻsha yerda toʻlang.',
  ),
  toNewer: 'Yangi toʻlovga oʻtish',
  startAgain: 'Qaytadan boshlash',
}

/** The texts in each language of the page. */
export const linkWords: Readonly<Record<Locale, LinkWords>> = {
  en: english,
  ru: russian,
  kk: kazakh,
  tg: tajik,
  uz: uzbek,
}
