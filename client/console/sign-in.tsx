import { signIn } from './session.ts'

export function SignIn({ why }: { readonly why: string | undefined }) {
  return (
    <main class="centre">
      <form
        class="card sign-in"
        onSubmit={event => {
          event.preventDefault()
          signIn(String(new FormData(event.currentTarget).get('token')))
        }}
      >
        <span class="mark large" aria-hidden="true" />
        <h1>Selfsame console</h1>
        <p class="soft">Open the link that your server printed, or paste a token.</p>
        {why && (
          <p class="notice bad" role="alert">
            {why}
          </p>
        )}
        <div class="field">
          <label for="token">Token</label>
          <input id="token" name="token" type="password" required autocomplete="off" spellcheck={false} />
          <p class="hint">
            <code>npx selfsame token --agent you --role human</code>
          </p>
        </div>
        <button type="submit" class="primary wide">
          Sign in
        </button>
      </form>
    </main>
  )
}
