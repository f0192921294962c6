import { render } from 'preact'
import { App } from './app.tsx'
import { arrive } from './session.ts'
import './style/base.css'
import './style/frame.css'
import './style/brief.css'
import './style/belief.css'

const root = document.getElementById('app')
if (root) render(<App />, root)
arrive()
