//! A tray host: takes items, and presses on them.

use std::sync::{Arc, Mutex, PoisonError};

use zbus::blocking::{Connection, Proxy};
use zbus::interface;
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, Value};

use crate::bus::Bus;
use crate::eventually;
use crate::menu::Menu;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const DBUSMENU: &str = "com.canonical.dbusmenu";

type Items = Arc<Mutex<Vec<(String, String)>>>;

struct Watcher {
    items: Items,
    hangs: bool,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(
        &self,
        service: String,
        #[zbus(header)] header: Header<'_>,
    ) {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let item = if service.starts_with('/') {
            (sender, service)
        } else {
            (service, "/StatusNotifierItem".into())
        };
        self.items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(item);
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
}

/// A tray on the desktop.
pub struct Host {
    connection: Connection,
    items: Items,
}

impl Host {
    pub fn start(bus: &Bus) -> Self {
        Self::serve(bus, false)
    }

    /// One that takes calls and never answers.
    pub fn hanging(bus: &Bus) -> Self {
        Self::serve(bus, true)
    }

    fn serve(bus: &Bus, hangs: bool) -> Self {
        let items = Items::default();
        let connection = bus.connect();
        let watcher = Watcher {
            items: Arc::clone(&items),
            hangs,
        };
        connection
            .object_server()
            .at("/StatusNotifierWatcher", watcher)
            .expect("the watcher is served");
        connection
            .request_name(WATCHER)
            .expect("the watcher's name");
        Self { connection, items }
    }

    pub fn has_item(&self) -> bool {
        !self
            .items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// The icon that appeared.
    pub fn item(&self) -> Item {
        let (name, path) = eventually("an icon in the tray", || {
            self.items
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .last()
                .cloned()
        });
        Item {
            connection: self.connection.clone(),
            name,
            path,
        }
    }
}

/// Doorward's icon, as a host sees it.
pub struct Item {
    connection: Connection,
    name: String,
    path: String,
}

impl Item {
    fn proxy(&self) -> Proxy<'_> {
        Proxy::new(
            &self.connection,
            self.name.as_str(),
            self.path.as_str(),
            ITEM,
        )
        .expect("the item")
    }

    fn dbusmenu(&self) -> zbus::Result<Proxy<'static>> {
        let path: OwnedObjectPath = self.proxy().get_property("Menu")?;
        Proxy::new_owned(self.connection.clone(), self.name.clone(), path, DBUSMENU)
    }

    /// The menu; none once the program has ended.
    pub fn menu_if_any(&self) -> Option<Menu> {
        let everything = (0i32, -1i32, Vec::<&str>::new());
        let reply = self
            .dbusmenu()
            .and_then(|menu| menu.call_method("GetLayout", &everything));
        reply.ok().map(|reply| Menu::read(&reply))
    }

    pub fn menu(&self) -> Menu {
        self.menu_if_any().expect("the menu's layout")
    }

    /// The menu, once it is as told.
    pub fn menu_when(&self, what: &str, told: impl Fn(&Menu) -> bool) -> Menu {
        eventually(what, || Some(self.menu()).filter(&told))
    }

    /// A click on an entry. Whether there was such an entry.
    pub fn click(&self, id: i32) -> bool {
        let click = (id, "clicked", Value::from(""), 0u32);
        self.dbusmenu()
            .is_ok_and(|menu| menu.call_method("Event", &click).is_ok())
    }

    /// Clicks on an entry of the menu or, with two labels, of a request's submenu. A menu that changes
    /// between looking and clicking is looked at again.
    pub fn press(&self, labels: &[&str]) {
        eventually(labels.last().copied().unwrap_or_default(), || {
            let menu = self.menu();
            let entry = match labels {
                [request, label] => menu.request(request)?.find(label)?,
                _ => menu.find(labels.first()?)?,
            };
            self.click(entry.id).then_some(())
        });
    }

    /// A left click on the icon.
    pub fn activate(&self) {
        self.proxy()
            .call_method("Activate", &(0i32, 0i32))
            .expect("a click");
    }

    /// Width and height, and the bytes of the picture.
    pub fn picture(&self) -> Vec<(i32, i32, Vec<u8>)> {
        self.proxy()
            .get_property("IconPixmap")
            .expect("its picture")
    }

    pub fn tooltip(&self) -> String {
        type Tip = (String, Vec<(i32, i32, Vec<u8>)>, String, String);
        let tip: Tip = self.proxy().get_property("ToolTip").expect("its tooltip");
        [tip.3, tip.2]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }
}
