import { Button, ColorInput, FileButton, SegmentedControl, Select } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { paymentMethods } from '../../../../src/rules/values/payment-method.ts'
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

type PreviewProps = {
  readonly merchantId: string
  readonly accent: string
  readonly locale: string
  readonly method: string
  /** Changes with the logo, so that the frame is loaded again. */
  readonly version: number
}

const Preview = ({ merchantId, accent, locale, method, version }: PreviewProps) => {
  const colour = colourPattern.test(accent) ? accent.slice(1) : ''
  return (
    <iframe
      key={version}
      className="page-preview"
      title="What payers see"
      src={`/assets/preview/${merchantId}?accent=${colour}&method=${method}&locale=${locale}`}
    />
  )
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

type Shown = { readonly locale: string; readonly method: string }

const PreviewFields = ({ shown, onChange }: { readonly shown: Shown; readonly onChange: (shown: Shown) => void }) => (
  <>
    <SegmentedControl
      aria-label="Language of the preview"
      data={[
        { value: 'en', label: 'English' },
        { value: 'ru', label: 'Русский' },
      ]}
      value={shown.locale}
      onChange={(locale) => onChange({ ...shown, locale })}
    />
    <Select
      size="xs"
      label="Method of the preview"
      data={[...paymentMethods]}
      value={shown.method}
      allowDeselect={false}
      onChange={(method) => onChange({ ...shown, method: method ?? shown.method })}
    />
  </>
)

/** How a merchant's payment page looks: colour and logo, with a preview before anything is saved. */
export const Branding = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const saved = merchant.settings.accent ?? ''
  const [accent, setAccent] = useState(saved)
  const [shown, setShown] = useState<Shown>({ locale: 'en', method: 'sbp' })
  const [version, setVersion] = useState(0)
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
    onSuccess: ({ logo }) => {
      notifications.show({ message: logo === null ? 'The logo is removed' : 'Payers see the new logo' })
      setVersion((before) => before + 1)
    },
  })
  const error = save.error ?? setLogo.error
  return (
    <div className="branding">
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
          <PreviewFields shown={shown} onChange={setShown} />
          <p className="quiet small">The preview shows a made-up payment, with a number that nobody has.</p>
        </form>
        <SupportContacts merchant={merchant} />
      </div>
      <Preview merchantId={merchant.id} accent={accent} {...shown} version={version} />
    </div>
  )
}
