import { Button, ColorInput, FileButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Logo, ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { api } from '../../api/client.ts'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { SupportContacts } from './support-contacts.tsx'

const colourPattern = /^#[0-9a-fA-F]{6}$/

const toBase64 = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}

/** Whether it is a colour or empty: the page's own. */
const isColour = (accent: string): boolean => accent === '' || colourPattern.test(accent)

type ColourProps = { readonly value: string; readonly onChange: (accent: string) => void; readonly mayChange: boolean }

const ColourField = ({ value, onChange, mayChange }: ColourProps) => (
  <ColorInput
    size="xs"
    label="Colour of buttons"
    description="Buttons have it in both themes; links use the nearest readable shade"
    placeholder="the page's own"
    format="hex"
    withEyeDropper={false}
    popoverProps={{ withinPortal: true }}
    closeOnColorSwatchClick
    swatches={['#1a56c4', '#0f766e', '#b45309', '#be123c', '#6d28d9', '#111827']}
    swatchesPerRow={6}
    value={value}
    error={!isColour(value)}
    readOnly={!mayChange}
    onChange={onChange}
  />
)

type LogoProps = { readonly isPending: boolean; readonly onChoose: (file: File | null) => void }

const LogoField = ({ isPending, onChoose }: LogoProps) => (
  <>
    <div>
      <p className="strong">Logo</p>
      <p className="quiet small">PNG, JPEG or WebP, at most 32 KiB; a wordmark keeps its proportions.</p>
    </div>
    <div className="drawer-actions">
      <FileButton
        accept="image/png,image/jpeg,image/webp"
        onChange={(file) => file !== null && onChoose(file)}
        inputProps={{ 'aria-label': 'Logo' }}
      >
        {(props) => (
          <Button {...props} variant="default" loading={isPending}>
            Choose a picture
          </Button>
        )}
      </FileButton>
      <Button variant="subtle" onClick={() => onChoose(null)}>
        Remove the logo
      </Button>
    </div>
  </>
)

/** How a merchant's payment page looks: colour and logo. */
export const Branding = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const saved = merchant.settings.accent ?? ''
  const [accent, setAccent] = useState(saved)
  const mayChange = useMay('configure')
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () =>
      api.patch(`/merchants/${merchant.id}`, { settings: { accent: accent === '' ? null : accent.toLowerCase() } }),
    onSuccess: async () => {
      notifications.show({ message: 'Payers see the new colour' })
      await queries.invalidateQueries({ queryKey: ['merchants'] })
    },
  })
  const setLogo = useMutation({
    mutationFn: async (file: File | null) =>
      api.put<Logo>(`/merchants/${merchant.id}/logo`, { image: file === null ? null : await toBase64(file) }),
    onSuccess: ({ logo }) =>
      void notifications.show({ message: logo === null ? 'The logo is removed' : 'Payers see the new logo' }),
  })
  const error = save.error ?? setLogo.error
  return (
    <div className="branding-forms">
      <form
        className="act-form"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <ColourField value={accent} onChange={setAccent} mayChange={mayChange} />
        {mayChange && (
          <>
            <div className="drawer-actions">
              <Button type="submit" loading={save.isPending} disabled={accent === saved || !isColour(accent)}>
                Save the colour
              </Button>
              {accent !== '' && (
                <Button variant="subtle" onClick={() => setAccent('')}>
                  The page's own
                </Button>
              )}
            </div>
            <LogoField isPending={setLogo.isPending} onChoose={setLogo.mutate} />
          </>
        )}
        {error !== null && <ProblemMessage error={error} />}
        <p className="quiet small">The page of every payment, of the sandbox too, shows both.</p>
      </form>
      <SupportContacts merchant={merchant} />
    </div>
  )
}
