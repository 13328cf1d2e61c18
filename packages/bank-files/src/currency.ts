// ISO 4217: most currencies have two decimals; these are the exceptions.
const noDecimals = 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' ')
const threeDecimals = 'bhd iqd jod kwd lyd omr tnd'.split(' ')

/** Number of decimals of the currencies that do not have two, by their lower-case codes. */
export const otherDecimals: ReadonlyMap<string, number> = new Map([
  ...noDecimals.map((currency) => [currency, 0] as const),
  ...threeDecimals.map((currency) => [currency, 3] as const),
])

/** Number of decimals of a fiat currency (ISO 4217 minor unit), by its lower-case code. */
export const currencyDecimals = (currency: string): number => otherDecimals.get(currency) ?? 2

// ISO 4217 numeric codes of the currencies in which accounts are held. A table instead of a package: it changes every
// few years, and Node.js has no numeric codes. 810 is the rouble of before 1998, which account numbers still use.
const numeric = `
  008 all, 012 dzd, 032 ars, 036 aud, 044 bsd, 048 bhd, 050 bdt, 051 amd, 052 bbd, 060 bmd, 064 btn,
  068 bob, 072 bwp, 084 bzd, 090 sbd, 096 bnd, 104 mmk, 108 bif, 116 khr, 124 cad, 132 cve, 136 kyd,
  144 lkr, 152 clp, 156 cny, 170 cop, 174 kmf, 188 crc, 192 cup, 203 czk, 208 dkk, 214 dop, 222 svc,
  230 etb, 232 ern, 238 fkp, 242 fjd, 262 djf, 270 gmd, 292 gip, 320 gtq, 324 gnf, 328 gyd, 332 htg,
  340 hnl, 344 hkd, 348 huf, 352 isk, 356 inr, 360 idr, 364 irr, 368 iqd, 376 ils, 388 jmd, 392 jpy,
  398 kzt, 400 jod, 404 kes, 408 kpw, 410 krw, 414 kwd, 417 kgs, 418 lak, 422 lbp, 426 lsl, 430 lrd,
  434 lyd, 446 mop, 454 mwk, 458 myr, 462 mvr, 480 mur, 484 mxn, 496 mnt, 498 mdl, 504 mad, 512 omr,
  516 nad, 524 npr, 532 ang, 533 awg, 548 vuv, 554 nzd, 558 nio, 566 ngn, 578 nok, 586 pkr, 590 pab,
  598 pgk, 600 pyg, 604 pen, 608 php, 634 qar, 643 rub, 646 rwf, 654 shp, 682 sar, 690 scr, 702 sgd,
  704 vnd, 706 sos, 710 zar, 728 ssp, 748 szl, 752 sek, 756 chf, 760 syp, 764 thb, 776 top, 780 ttd,
  784 aed, 788 tnd, 800 ugx, 807 mkd, 810 rub, 818 egp, 826 gbp, 834 tzs, 840 usd, 858 uyu, 860 uzs,
  882 wst, 886 yer, 901 twd, 924 zwg, 925 sle, 926 ved, 928 ves, 929 mru, 930 stn, 931 cuc, 933 byn,
  934 tmt, 936 ghs, 938 sdg, 941 rsd, 943 mzn, 944 azn, 946 ron, 949 try, 950 xaf, 951 xcd, 952 xof,
  953 xpf, 967 zmw, 968 srd, 969 mga, 971 afn, 972 tjs, 973 aoa, 975 bgn, 976 cdf, 977 bam, 978 eur,
  980 uah, 981 gel, 985 pln, 986 brl
`

// What banks write instead of a code.
const written: Readonly<Record<string, readonly string[]>> = {
  rub: ['rur', 'руб', 'рубль', 'рублей', 'рубли', 'р', '₽', 'российский рубль', 'russian ruble', 'russian rouble'],
  usd: ['$', 'us$', 'доллар', 'долл', 'доллар сша', 'долл сша', 'us dollar'],
  eur: ['€', 'евро', 'euro'],
  gbp: ['£'],
  cny: ['юань', 'rmb', 'cnh', '元'],
  uzs: ['sum', 'сум', 'soʻm', "so'm"],
  kzt: ['₸', 'тенге', 'тг'],
  uah: ['₴', 'грн', 'гривна'],
  byn: ['byr', 'бел руб', 'белорусский рубль'],
  kgs: ['сом'],
  amd: ['֏', 'драм'],
  gel: ['₾', 'лари'],
  azn: ['₼', 'манат', 'azm'],
  tjs: ['сомони'],
  try: ['₺', 'tl', 'trl'],
  pln: ['zł', 'zl'],
  czk: ['kč'],
  inr: ['₹'],
  ils: ['₪', 'nis'],
  krw: ['₩'],
  vnd: ['₫'],
}

const codes: ReadonlyMap<string, string> = new Map([
  ...numeric
    .trim()
    .split(/,\s+/)
    .map((pair) => pair.split(' ') as [string, string]),
  ...Object.entries(written).flatMap(([code, names]) => names.map((name): [string, string] => [name, code])),
])

/** The lower-case code of a currency as a bank writes it: `RUR`, `810`, `руб.` and `₽` are `rub`; `null` for none. */
export const readCurrency = (text: string | null | undefined): string | null => {
  const plain = (text ?? '')
    .toLowerCase()
    .replace(/[\s\u00a0.]+/g, ' ')
    .trim()
  return plain === '' ? null : (codes.get(plain) ?? plain)
}

const iso: ReadonlySet<string> = new Set(codes.values())

/** Whether a lower-case code is that of a currency in which accounts are held. */
export const isCurrency = (code: string): boolean => iso.has(code)

/**
 * The currency written next to an amount or in the name of its column, as in `5,00 USD`, `−12 ₽` or `Сумма (EUR)`;
 * `null` for none. A dollar sign is used for many currencies, so it does not count.
 */
export const currencyNextTo = (text: string): string | null => {
  const [sign, code] = [
    /^[-+−–(]?\s*(\p{Sc})/u.exec(text)?.[1] ?? /(\p{Sc}|(?<!\p{L})(?:руб|р)\.?)\s*\)?$/iu.exec(text)?.[1],
    /(?<!\p{L})([A-Z]{3})\s*\)?$/u.exec(text)?.[1]?.toLowerCase(),
  ]
  if (sign !== undefined) return sign === '$' ? null : (codes.get(sign.toLowerCase().replace('.', '')) ?? null)
  if (code === 'rur') return 'rub'
  return code !== undefined && iso.has(code) ? code : null
}

/** The currency of a Russian account of twenty digits, given by its digits 6 to 8; `null` for any other number. */
export const accountCurrency = (account: string): string | null =>
  /^\d{20}$/.test(account) ? (codes.get(account.slice(5, 8)) ?? null) : null
