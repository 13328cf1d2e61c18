import type { Bank } from './bank.ts'
import { ameria } from './banks/am-ameria.ts'
import { idbank } from './banks/am-idbank.ts'
import { birbank } from './banks/az-birbank.ts'
import { m10 } from './banks/az-m10.ts'
import { alfaBy } from './banks/by-alfa.ts'
import { belapb } from './banks/by-belapb.ts'
import { belarusbank } from './banks/by-belarusbank.ts'
import { mtbank } from './banks/by-mtbank.ts'
import { priorbank } from './banks/by-priorbank.ts'
import { bog } from './banks/ge-bog.ts'
import { tbc } from './banks/ge-tbc.ts'
import { demirbank } from './banks/kg-demirbank.ts'
import { mbank } from './banks/kg-mbank.ts'
import { bcc } from './banks/kz-bcc.ts'
import { forte } from './banks/kz-forte.ts'
import { halyk } from './banks/kz-halyk.ts'
import { kaspi } from './banks/kz-kaspi.ts'
import { qazkom } from './banks/kz-qazkom.ts'
import { abr } from './banks/ru-abr.ts'
import { akbars } from './banks/ru-akbars.ts'
import { alfa } from './banks/ru-alfa.ts'
import { avangard } from './banks/ru-avangard.ts'
import { binbank } from './banks/ru-binbank.ts'
import { bspb } from './banks/ru-bspb.ts'
import { chelinvest } from './banks/ru-chelinvest.ts'
import { cifra } from './banks/ru-cifra.ts'
import { crediteurope } from './banks/ru-crediteurope.ts'
import { devoncredit } from './banks/ru-devoncredit.ts'
import { domrf } from './banks/ru-domrf.ts'
import { gazprombank } from './banks/ru-gazprombank.ts'
import { homecredit } from './banks/ru-homecredit.ts'
import { minbank } from './banks/ru-minbank.ts'
import { mkb } from './banks/ru-mkb.ts'
import { mts } from './banks/ru-mts.ts'
import { otkritie } from './banks/ru-otkritie.ts'
import { otp } from './banks/ru-otp.ts'
import { ozon } from './banks/ru-ozon.ts'
import { pochtabank } from './banks/ru-pochtabank.ts'
import { psb } from './banks/ru-psb.ts'
import { qiwi } from './banks/ru-qiwi.ts'
import { raiffeisen } from './banks/ru-raiffeisen.ts'
import { rnkb } from './banks/ru-rnkb.ts'
import { rocketbank } from './banks/ru-rocketbank.ts'
import { rosbank } from './banks/ru-rosbank.ts'
import { rsb } from './banks/ru-rsb.ts'
import { rshb } from './banks/ru-rshb.ts'
import { sberbank } from './banks/ru-sberbank.ts'
import { sinara } from './banks/ru-sinara.ts'
import { solidarnost } from './banks/ru-solidarnost.ts'
import { sovcombank } from './banks/ru-sovcombank.ts'
import { tbank } from './banks/ru-tbank.ts'
import { ubrr } from './banks/ru-ubrr.ts'
import { unicredit } from './banks/ru-unicredit.ts'
import { uralsib } from './banks/ru-uralsib.ts'
import { vtb } from './banks/ru-vtb.ts'
import { wb } from './banks/ru-wb.ts'
import { yandex } from './banks/ru-yandex.ts'
import { yoomoney } from './banks/ru-yoomoney.ts'
import { matin } from './banks/tj-matin.ts'
import { spitamen } from './banks/tj-spitamen.ts'
import { vasl } from './banks/tj-vasl.ts'
import { enpara } from './banks/tr-enpara.ts'
import { ziraat } from './banks/tr-ziraat.ts'
import { bankLviv } from './banks/ua-banklviv.ts'
import { kreditDnipro } from './banks/ua-kreditdnipro.ts'
import { oschad } from './banks/ua-oschad.ts'
import { pumb } from './banks/ua-pumb.ts'
import { raiffeisenUa } from './banks/ua-raiffeisen.ts'
import { sportbank } from './banks/ua-sportbank.ts'
import { ukrsibbank } from './banks/ua-ukrsibbank.ts'
import { humo } from './banks/uz-humo.ts'
import { uzcard } from './banks/uz-uzcard.ts'
import { uzum } from './banks/uz-uzum.ts'

/** The banks whose messages are known, by country. */
export const banks: readonly Bank[] = [
  ameria,
  idbank,
  birbank,
  m10,
  alfaBy,
  belapb,
  belarusbank,
  mtbank,
  priorbank,
  bog,
  tbc,
  demirbank,
  mbank,
  bcc,
  forte,
  halyk,
  kaspi,
  qazkom,
  abr,
  akbars,
  alfa,
  avangard,
  binbank,
  bspb,
  chelinvest,
  cifra,
  crediteurope,
  devoncredit,
  domrf,
  gazprombank,
  homecredit,
  minbank,
  mkb,
  mts,
  otkritie,
  otp,
  ozon,
  pochtabank,
  psb,
  qiwi,
  raiffeisen,
  rnkb,
  rocketbank,
  rosbank,
  rsb,
  rshb,
  sberbank,
  sinara,
  solidarnost,
  sovcombank,
  tbank,
  ubrr,
  unicredit,
  uralsib,
  vtb,
  wb,
  yandex,
  yoomoney,
  matin,
  spitamen,
  vasl,
  enpara,
  ziraat,
  bankLviv,
  kreditDnipro,
  oschad,
  pumb,
  raiffeisenUa,
  sportbank,
  ukrsibbank,
  humo,
  uzcard,
  uzum,
]
