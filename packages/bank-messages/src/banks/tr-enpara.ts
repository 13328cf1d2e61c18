import type { Bank } from '../bank.ts'

export const enpara: Bank = {
  bank: 'enpara',
  country: 'tr',
  currency: 'try',
  thousands: '.',
  senders: ['Enpara'],
  parts: { available: 'İşlem sonrası hesap bakiyesi: {balance}' },
  templates: {
    credit: [
      'Vadesiz TL hesabınıza {time} tarihinde {name} tarafından yapılan para transferi [({word})] sonucunda {amount} giriş oldu. {available}',
    ],
    debit: [
      '{time} tarihinde vadesiz TL hesabınızdan {text} adlı alıcıya {amount} tutarında para transferi [({word})] yapıldı. {available}',
      "Vadesiz TL hesabınıza bağlı {account} ile biten Encard'ınızla {time} tarihinde {text} firmasında {amount} tutarında harcama yapıldı. [{available}]",
    ],
  },
}
