import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { refuseField } from '../../domain/refusal.ts'
import { maxLogoBytes, setLogo } from '../../merchants/set-logo.ts'
import type { App } from '../app.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { IdParams } from '../ids.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'

const Logo = Type.Object({ logo: Type.Union([Type.String(), Type.Null()], { description: 'Path of the image.' }) })

/** Where the logo of a merchant is. */
export type Logo = Static<typeof Logo>

/** `PUT /merchants/{id}/logo`. */
export const registerLogos = (app: App, context: Context): void => {
  app.put(
    '/merchants/:id/logo',
    {
      schema: {
        ...operation('setMerchantLogo', "Set the logo that a merchant's payers see, or remove it"),
        params: IdParams,
        body: Type.Object(
          {
            image: Type.Union([Type.String({ minLength: 1, maxLength: 32 * 1024 }), Type.Null()], {
              description: `A PNG or JPEG in Base64 of at most ${maxLogoBytes / 1024} KiB; \`null\` removes the logo.`,
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: Logo, ...problems() },
      },
    },
    async (request) => {
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
  )
}
