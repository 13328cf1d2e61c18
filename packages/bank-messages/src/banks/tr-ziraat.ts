import type { Bank } from '../bank.ts'

export const ziraat: Bank = {
  bank: 'ziraat',
  country: 'tr',
  currency: 'try',
  thousands: '.',
  packages: ['com.ziraat.ziraatmobil'],
  titles: ['Gelen Para Transferi'],
  templates: {
    credit: [
      "Sayın {owner}, {date} tarihinde, saat {clock}'<de|da|te|ta> {name} tarafından, {account} ek nolu hesabınıza {amount} <havale|EFT|FAST|para> aktarılmıştır.",
    ],
  },
}
