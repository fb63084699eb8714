//! What is said of plans that are kept, opened, shared and exported, and of what stands in the way.

use super::{Lang, Localized, format_message};

crate::i18n::messages! {
    /// Keeping and sharing.
    Share {
        Plans: "Plans", "Planes";
        Untitled: "Untitled plan", "Plan sin título";
        ShareIt: "Share", "Compartir";
        ShareAndExport: "Share and export", "Compartir y exportar";
        Versions: "Restore points", "Puntos de restauración";
        Close: "Close", "Cerrar";
        Saved: "Saved", "Guardado";
        Saving: "Saving…", "Guardando…";
        NotSaved: "Not saved", "Sin guardar";
        InMemory: "In memory only", "Solo en memoria";
        SavedAnnouncement: "saved; the page keeps every change by itself", "guardado; la página guarda cada cambio por sí sola";
        Recovered: "what was not saved when a page was closed is here again", "se ha recuperado lo que quedó sin guardar al cerrar una página";

        Guest: "This plan is being edited in another tab. Here you see what is saved there.", "Este plan se está editando en otra pestaña. Aquí se ve lo que allí se guarda.";
        LockLost: "Another tab edits this plan now. What you had typed here was saved.", "Otra pestaña edita ahora este plan. Lo que había escrito aquí se guardó.";
        LockGained: "The other tab is closed. This one edits the plan now.", "La otra pestaña se cerró. Ahora edita el plan esta.";
        NewerVersion: "Another tab saved a newer version. Yours is kept among the restore points.", "Otra pestaña guardó una versión más reciente. La suya está entre los puntos de restauración.";
        EditHere: "Edit here", "Editar aquí";
        KeepCopy: "Keep a copy", "Guardar una copia";
        StorageDenied: "This browser lets the page keep nothing. What you write stays in memory until the tab is closed: download it to keep it.", "Este navegador no permite guardar nada. Lo que escriba queda en memoria hasta cerrar la pestaña: descárguelo para conservarlo.";
        StorageFull: "There is no room left, and this plan is not saved. Download it, or delete plans that you no longer need; saving is tried again with every change.", "No queda espacio y este plan no está guardado. Descárguelo o elimine planes que ya no necesite; se vuelve a intentar con cada cambio.";
        StorageFailed: "This plan could not be saved ({}). It stays open; download it to be safe. Saving is tried again with every change.", "No se pudo guardar este plan ({}). Sigue abierto; descárguelo por si acaso. Se vuelve a intentar con cada cambio.";
        PlanMissing: "It is no longer there: another tab has deleted it.", "Ya no está: otra pestaña lo ha eliminado.";
        Download: "Download", "Descargar";
        Copy: "Copy", "Copiar";
        Copied: "copied", "copiado";

        ForeignLink: "This plan came by a link. You can look at it and edit it; it runs once you agree to what it asks for.", "Este plan llegó por un enlace. Puede verlo y editarlo; se ejecutará cuando usted acepte lo que pide.";
        ForeignOther: "This plan came from elsewhere. You can look at it and edit it; it runs once you agree to what it asks for.", "Este plan viene de otro sitio. Puede verlo y editarlo; se ejecutará cuando usted acepte lo que pide.";
        ShowRecorded: "Show the recorded run", "Ver la ejecución grabada";
        ReviewPlan: "See what it asks for", "Ver lo que pide";

        LinkCut: "This link is not whole: its end is missing. Copy it again from where it came, up to its last letter.", "Este enlace no está completo: le falta el final. Vuelva a copiarlo de donde vino, hasta la última letra.";
        LinkChanged: "This link was changed on its way: it does not fit its check sum. Ask for it again.", "Este enlace cambió por el camino: no coincide con su suma de control. Pídalo de nuevo.";
        LinkVersion: "This link was made by a newer page (form {}). Reload this page, or ask for the plan as a file.", "Este enlace lo hizo una página más reciente (forma {}). Recargue esta página o pida el plan como archivo.";
        LinkGarbage: "This link holds no plan.", "Este enlace no contiene ningún plan.";
        LinkLarge: "This link unpacks to more than any plan may be, and was not opened.", "Este enlace, desempaquetado, supera lo que puede ocupar un plan, y no se abrió.";
        LinkEmpty: "The plan in this link is empty.", "El plan de este enlace está vacío.";
        ClipboardDenied: "The browser keeps the clipboard closed. Select the text and copy it by hand.", "El navegador no da acceso al portapapeles. Seleccione el texto y cópielo a mano.";
        PasteDenied: "The browser does not let the page read the clipboard. Paste into the field instead.", "El navegador no deja leer el portapapeles. Pegue el texto en el campo.";
        ClipboardEmpty: "There is no text on the clipboard.", "No hay texto en el portapapeles.";
        Unreachable: "No answer from {} that this page may read. Either the server is not there, or it does not let other sites read the file: it must send `Access-Control-Allow-Origin`. You can download the file and open it here.", "No hay respuesta de {} que esta página pueda leer. O el servidor no está, o no permite que otros sitios lean el archivo: tiene que enviar `Access-Control-Allow-Origin`. Puede descargar el archivo y abrirlo aquí.";
        Refused: "The server refuses to give the file ({}).", "El servidor se niega a dar el archivo ({}).";
        Missing: "There is no such file ({}).", "No existe ese archivo ({}).";
        BadAddress: "`{}` is no address of a file; it begins with https:// or http://.", "`{}` no es la dirección de un archivo; empieza por https:// o http://.";
        FileLarge: "{} is larger than any plan may be (16 MB).", "{} ocupa más de lo que puede ocupar un plan (16 MB).";
        FileBinary: "{} is no text file. Of a page that shows a file, take the address of the file itself.", "{} no es un archivo de texto. Si es una página que muestra un archivo, use la dirección del propio archivo.";
        PictureLarge: "The drawing is too large for a picture of points. Export it as SVG.", "El dibujo es demasiado grande para una imagen de puntos. Expórtelo como SVG.";
        PictureFailed: "The browser could not make the picture. Export it as SVG.", "El navegador no pudo crear la imagen. Expórtelo como SVG.";
        ImportFailed: "Nothing could be made of it: {}", "No se pudo leer: {}";

        LinkAbout: "Everything stands in the link itself, behind the #. No server sees it, and it opens without a network.", "Todo va en el propio enlace, detrás del #. Ningún servidor lo ve y se abre sin red.";
        LinkField: "Link", "Enlace";
        WithStubs: "with stand-ins", "con sustitutos";
        WithRun: "with the recorded run", "con la ejecución grabada";
        CopyLink: "Copy the link", "Copiar el enlace";
        LinkLetters: "{} letters", "{} letras";
        LinkLong: "Some mail and chat programs cut links of this length. A file is safer.", "Algunos programas de correo y chat cortan enlaces de esta longitud. Un archivo es más seguro.";
        LinkTooLong: "Browsers do not open links of this length. Export a file instead.", "Los navegadores no abren enlaces de esta longitud. Exporte un archivo.";
        KeysLeftOut: "Keys and secrets were left out: {}", "Se han quitado claves y secretos: {}";
        EmbedField: "For a page of your own", "Para una página suya";
        Export: "Export", "Exportar";
        AsText: "YAML", "YAML";
        AsJson: "JSON", "JSON";
        AsMermaid: "Mermaid", "Mermaid";
        AsSvg: "SVG drawing", "Dibujo SVG";
        AsPng: "PNG picture", "Imagen PNG";
        CopyByHand: "Text to copy", "Texto para copiar";

        NewPlan: "New plan", "Plan nuevo";
        OpenFile: "Open a file…", "Abrir un archivo…";
        PastePlan: "Paste", "Pegar";
        FromAddress: "Address of a plan", "Dirección de un plan";
        PasteField: "A plan, a Mermaid flowchart or a Serverless Workflow", "Un plan, un diagrama de Mermaid o un Serverless Workflow";
        Open: "Open", "Abrir";
        OpenNow: "open now", "abierto";
        Rename: "Rename", "Cambiar el nombre";
        Name: "Name", "Nombre";
        Duplicate: "Duplicate", "Duplicar";
        Delete: "Delete", "Eliminar";
        DeleteForGood: "Delete for good", "Eliminar del todo";
        BringBack: "Bring back", "Recuperar";
        Deleted: "“{}” was deleted.", "Se eliminó «{}».";
        Undo: "Undo", "Deshacer";
        DeletedLately: "Deleted in the last week", "Eliminados en la última semana";
        NoPlans: "Nothing is kept yet. What you edit is kept here by itself.", "Aún no hay nada guardado. Lo que edite se guardará aquí por sí solo.";
        ByLink: "by link", "por enlace";
        ByAddress: "from an address", "de una dirección";
        ByFile: "from a file", "de un archivo";
        DropHere: "Drop the file to open it as a plan of its own", "Suelte el archivo para abrirlo como otro plan";
        Imported: "taken over from {}; {} to look at, listed as comments or problems", "tomado de {}; {} por revisar, como comentarios o problemas";

        PointsAbout: "Made every ten minutes while you edit, before large changes, and whenever you like.", "Se crean cada diez minutos mientras edita, antes de cambios grandes y cuando usted quiera.";
        NoPoints: "There are none yet.", "Aún no hay ninguno.";
        PointName: "Name of a restore point", "Nombre de un punto de restauración";
        KeepPoint: "Keep this version", "Guardar esta versión";
        Restore: "Restore this version", "Restaurar esta versión";
        Restored: "restored; what was there before is a restore point of its own", "restaurado; lo anterior quedó como otro punto de restauración";
        BeforeDelete: "before much was deleted", "antes de borrar mucho";
        BeforeRestore: "before a version was restored", "antes de restaurar una versión";
        BeforeImport: "before a large change", "antes de un cambio grande";
        Unsaved: "unsaved changes of another tab", "cambios sin guardar de otra pestaña";
        AutomaticPoint: "by the clock", "por el reloj";
        WhatDiffers: "What differs from now", "Diferencias con lo actual";
        NoDifferences: "It is the same as now.", "Es igual que lo actual.";
        ChooseOne: "Choose one to see what differs.", "Elija uno para ver las diferencias.";
        LinesLeftOut: "{} lines alike", "{} líneas iguales";
        Comparing: "Comparing…", "Comparando…";
        LinesOld: "only then", "solo entonces";
        LinesNew: "only now", "solo ahora";

        ConsentTitle: "May this plan run?", "¿Puede ejecutarse este plan?";
        ConsentAbout: "Somebody else wrote it. When it runs it may do this, with your browser and your keys:", "Lo escribió otra persona. Al ejecutarse puede hacer esto, con su navegador y sus claves:";
        ConsentNothing: "It asks nobody for anything.", "No pide nada a nadie.";
        Servers: "Connects to servers", "Se conecta a servidores";
        Tools: "Calls tools", "Llama a herramientas";
        Models: "Asks language models", "Consulta modelos de lenguaje";
        People: "Asks you", "Le pregunta a usted";
        Handlers: "Runs what this page provides", "Ejecuta lo que ofrece esta página";
        AnyTool: "any tool that is connected", "cualquier herramienta conectada";
        DefaultModel: "the model that you chose", "el modelo que usted eligió";
        Reads: "reads", "lee";
        Writes: "writes", "escribe";
        Destroys: "may destroy", "puede destruir";
        UnknownEffect: "may change anything", "puede cambiar cualquier cosa";
        Agree: "Let it run", "Permitir que se ejecute";
        NotNow: "Not now", "Ahora no";
        Agreed: "the plan may run in this session", "el plan puede ejecutarse en esta sesión";
        BrokenPlan: "The plan has errors; what it would ask for can't be told.", "El plan tiene errores; no se puede saber qué pediría.";

        StopRunTitle: "Stop the run?", "¿Detener la ejecución?";
        StopRunAbout: "The run of this plan is not over. If you open another plan, the run ends: it makes no more calls and waits for no answer.", "La ejecución de este plan no ha terminado. Si abre otro plan, se detiene: no hace más llamadas ni espera respuestas.";
        StopAndOpen: "Stop the run and open", "Detener la ejecución y abrir";
        Stay: "Stay", "Quedarse";

        NewVersion: "A new version of this page is ready.", "Hay una versión nueva de esta página.";
        Reload: "Reload", "Recargar";
        OpenWhole: "Open in Stepgraph", "Abrir en Stepgraph";
        ShowText: "Text", "Texto";
        ShowDrawing: "Drawing", "Dibujo";
    }
}

/// The sentence for a code of `playground/js/share/errors.ts`.
pub fn error_message(lang: Lang, code: &str, detail: &str) -> String {
    let word = match code {
        "link/cut" => Share::LinkCut,
        "link/changed" => Share::LinkChanged,
        "link/version" => Share::LinkVersion,
        "link/garbage" => Share::LinkGarbage,
        "link/large" => Share::LinkLarge,
        "link/empty" => Share::LinkEmpty,
        "storage/denied" => Share::StorageDenied,
        "storage/full" => Share::StorageFull,
        "storage/newer" => Share::NewerVersion,
        "storage/gone" => Share::PlanMissing,
        "clipboard/denied" => Share::ClipboardDenied,
        "clipboard/empty" => Share::ClipboardEmpty,
        "file/unreachable" => Share::Unreachable,
        "file/refused" => Share::Refused,
        "file/large" => Share::FileLarge,
        "file/binary" => Share::FileBinary,
        "file/missing" => Share::Missing,
        "file/address" => Share::BadAddress,
        "picture/large" => Share::PictureLarge,
        "picture/failed" => Share::PictureFailed,
        "import/failed" => Share::ImportFailed,
        _ => Share::StorageFailed,
    };
    format_message(word.text(lang), &[detail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_its_own_message() {
        let source = include_str!("../../js/share/errors.ts");
        let table =
            source.split("export const CODES = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let codes: Vec<&str> = table.split('"').filter(|part| part.contains('/')).collect();
        assert!(codes.len() > 20);
        for lang in Lang::ALL {
            let mut said: Vec<String> = codes.iter().map(|code| error_message(lang, code, "x")).collect();
            assert!(said.iter().all(|text| !text.contains("{}")));
            said.sort();
            said.dedup();
            assert_eq!(said.len(), codes.len());
        }
    }

    #[test]
    fn translations_have_the_same_placeholders() {
        for word in Share::ALL {
            let [en, es] = Lang::ALL.map(|lang| word.text(lang).matches("{}").count());
            assert_eq!(en, es, "{word:?}");
            assert!(!word.text(Lang::Es).is_empty());
        }
    }
}
