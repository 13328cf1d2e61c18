import type { Bank } from '../bank.ts'

export const enpara: Bank = {
  bank: 'enpara',
  country: 'tr',
  currency: 'try',
  senders: ['Enpara'],
  parts: { left: 'İşlem sonrası hesap bakiyesi: {balance}' },
  templates: {
    credit: [
      'Vadesiz TL hesabınıza {time} tarihinde {name} tarafından yapılan para transferi [({word})] sonucunda {amount} giriş oldu. {left}',
    ],
    debit: [
      '{time} tarihinde vadesiz TL hesabınızdan {text} adlı alıcıya {amount} tutarında para transferi [({word})] yapıldı. {left}',
      "Vadesiz TL hesabınıza bağlı {account} ile biten Encard'ınızla {time} tarihinde {text} firmasında {amount} tutarında harcama yapıldı. [{left}]",
    ],
  },
}
