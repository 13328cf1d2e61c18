import { type Static, Type } from 'typebox'
import { refuseField } from '../../domain/refusal.ts'
import { maxLogoBytes, setLogo } from '../../merchants/set-logo.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { IdParams } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

const Logo = Type.Object({ logo: Type.Union([Type.String(), Type.Null()], { description: 'Path of the image.' }) })

/** Where the logo of a merchant is. */
export type Logo = Static<typeof Logo>

/** Logos of merchants. */
export const logoRoute = routesForOperators().put('/merchants/:id/logo', {
  id: 'setMerchantLogo',
  summary: "Set the logo that a merchant's payers see, or remove it",
  params: IdParams,
  body: {
    image: Type.Union([Type.String({ minLength: 1, maxLength: 32 * 1024 }), Type.Null()], {
      description: `A PNG or JPEG in Base64 of at most ${maxLogoBytes / 1024} KiB; \`null\` removes the logo.`,
    }),
  },
  answer: Logo,
  handle: async (context, request) => {
    const { id } = request.params
    const { image } = request.body
    const picture = image === null ? null : Buffer.from(image, 'base64')
    if (picture && picture.toString('base64').replace(/=+$/, '') !== image?.replace(/=+$/, '')) {
      throw refuseField('validation_failed', 'image', 'is not Base64.')
    }
    const details = (hash: string | null) => ({ hash })
    const act = { action: 'merchant.logo', subject: `merchant:${id}`, details }
    const hash = await actOnBehalf(context, request, act, (tx) => setLogo(tx, id, picture))
    return { logo: hash === null ? null : `/assets/logo/${hash}` }
  },
})
