import { Modal } from '@mantine/core'
import { CodeForm } from '../pages/sign-in/code-form.tsx'
import { useVerification } from '../verification.ts'

/** Asks for a fresh code when an act needs one. */
export const VerificationDialog = () => {
  const end = useVerification()
  return (
    <Modal
      // Above the dialog whose act needs it.
      zIndex={400}
      opened={end !== undefined}
      onClose={() => end?.(false)}
      title="Show once more that it is you"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p className="quiet">What changes settings or money of merchants needs a code of the last 15 minutes.</p>
      <CodeForm onVerified={() => end?.(true)} mayRecover={false} />
    </Modal>
  )
}
