import { type FormEvent, useState } from 'react'

/** The state of a form that does one thing: whether it is being sent, and why it failed. */
export const useAction = (act: () => Promise<void>) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const run = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await act()
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
    setBusy(false)
  }
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    void run()
  }
  return { isBusy, error, run: () => void run(), onSubmit }
}
